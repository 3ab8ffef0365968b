// The theme of VitePress, and diagrams.
import { useData } from 'vitepress'
import DefaultTheme from 'vitepress/theme'
import { defineComponent, h, onMounted, ref, watch } from 'vue'

let drawn = 0

/** Text until it is drawn, and where nothing draws it. Only pages with a diagram load the library. */
const Diagram = defineComponent({
  props: { text: { type: String, required: true } },
  setup(props) {
    const { isDark } = useData()
    const text = decodeURIComponent(props.text)
    const picture = ref('')
    async function draw() {
      const { default: mermaid } = await import('mermaid')
      mermaid.initialize({
        startOnLoad: false,
        securityLevel: 'strict',
        theme: isDark.value ? 'dark' : 'neutral',
        fontFamily: 'inherit',
      })
      picture.value = (await mermaid.render(`diagram-${++drawn}`, text)).svg
    }
    onMounted(draw)
    watch(isDark, draw)
    return () =>
      picture.value === ''
        ? h('pre', text)
        : h('div', { class: 'diagram', style: 'overflow-x: auto', tabindex: 0, innerHTML: picture.value })
  },
})

export default { extends: DefaultTheme, enhanceApp: ({ app }) => app.component('Diagram', Diagram) }
