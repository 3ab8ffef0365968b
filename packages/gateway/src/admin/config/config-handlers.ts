import { readSchema } from '../../config/index.ts'
import type { Handlers } from '../handlers.ts'
import type { ConfigEditor } from './config-editor.ts'

export function configHandlers(
  editor: ConfigEditor,
): Pick<Handlers, 'config' | 'configSchema' | 'checkConfig' | 'saveConfig'> {
  return {
    config: () => editor.read(),
    configSchema: () => readSchema(),
    checkConfig: ({ body }) => editor.check(body),
    saveConfig: ({ body }) => editor.save(body),
  }
}
