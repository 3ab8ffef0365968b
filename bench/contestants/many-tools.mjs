/** As many tools as the command line asks for, besides those that every contestant has. */
export const extraTools = Array.from({ length: Number(process.argv[3] ?? 0) }, (_, index) => ({
  name: `tool-${String(index).padStart(4, '0')}`,
  description: `Tool number ${index}: it does what its name says and nothing else`,
}))

/** Their parameters, as JSON Schema. */
export const extraSchema = {
  type: 'object',
  properties: {
    path: { type: 'string', description: 'Where to look' },
    limit: { type: 'number', description: 'How many at most' },
    deep: { type: 'boolean' },
  },
  required: ['path'],
}
