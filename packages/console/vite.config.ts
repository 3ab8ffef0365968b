import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { precompress } from './precompress.ts'

/** Where `vite` (not `vite build`) finds a running gateway: `GANTRY_URL=http://127.0.0.1:8080 npm run dev`. */
const gateway = process.env.GANTRY_URL ?? 'http://127.0.0.1:8080'

/** Not Markdown, which comes when it is needed. */
const isShared = (id: string) => !/mdast|micromark|\/markdown/.test(id)

export default defineConfig(({ command }) => {
  // The build may run in another environment, a test for example, and React would come with its warnings.
  if (command === 'build') process.env.NODE_ENV = 'production'
  return {
    base: '/console/',
    plugins: [react(), precompress()],
    build: {
      target: ['chrome123', 'firefox128', 'safari17.5'],
      // The gateway's Content-Security-Policy knows no inline scripts; data: URLs are for results, not for assets.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      // One file of styles, and one of what pages share: a page needs few requests, and the next one its own file only.
      cssCodeSplit: false,
      rolldownOptions: {
        output: { codeSplitting: { groups: [{ name: 'shared', test: isShared, minShareCount: 4 }] } },
      },
    },
    server: { proxy: { '/api': { target: gateway, changeOrigin: true } } },
  }
})
