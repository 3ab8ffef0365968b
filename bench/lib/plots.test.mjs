import { expect, it } from 'vitest'
import { barPlot } from './bar-plot.mjs'
import { linePlot } from './line-plot.mjs'

const attributes = (markup, tag, name) =>
  [...markup.matchAll(new RegExp(`<${tag} [^>]*\\b${name}="([^"]*)"`, 'g'))].map(([, value]) => value)

it('draws bars in proportion', () => {
  const bars = [
    { name: 'ours', value: 0.8, low: 0.7, high: 1 },
    { name: 'peer', value: 0.2, low: 0.2, high: 0.2 },
  ]
  const markup = barPlot({ title: 'Speed', groups: [{ label: 'stdio', bars }], format: String })
  const [ours, peer] = attributes(markup, 'rect', 'width').map(Number)
  expect(ours / peer).toBeCloseTo(4)
  expect(attributes(markup, 'rect', 'class')).toEqual(['ours', 'p0'])
})

it('draws equal factors as equal distances', () => {
  const ours = [1, 10, 100].map((x) => ({ x, median: 5 * x }))
  const markup = linePlot({ title: 'Growth', x: 'tools', y: 'µs', series: { ours } })
  const [points] = attributes(markup, 'polyline', 'points')
  const [a, b, c] = points.split(' ').map((point) => point.split(',').map(Number))
  expect(b[0] - a[0]).toBeCloseTo(c[0] - b[0], 0)
  expect(a[1] - b[1]).toBeCloseTo(b[1] - c[1], 0)
  expect(b[1]).toBeLessThan(a[1])
})

it('lets no text become markup', () => {
  const groups = [{ label: '<script>', bars: [{ name: 'a & b', value: 1, low: 1, high: 1 }] }]
  const markup = barPlot({ title: '"x"', groups, format: String })
  expect(markup).not.toContain('<script>')
  expect(markup).toContain('a &amp; b')
})

it('can draw one point only', () => {
  const markup = linePlot({ title: 'One', x: 'x', y: 'y', series: { ours: [{ x: 1, median: 1 }] } })
  expect(markup).not.toContain('NaN')
})
