import { z } from 'zod'

/** The parameters of the extra tools for libraries that want Zod; they say the same as the JSON Schema. */
export const extraShape = {
  path: z.string().describe('Where to look'),
  limit: z.number().describe('How many at most').optional(),
  deep: z.boolean().optional(),
}
