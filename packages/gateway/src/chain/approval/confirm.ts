import { isJsonObject, type InputRequired, type JsonObject } from '@gantry/mcp/exchange'
import type { RuleModel } from '../../model/index.ts'
import type { ResolvedExchange } from '../gateway-exchange.ts'

/** What our own questions are called. */
export const CONFIRM_KEY = 'gantry-confirm'
export const APPROVE_KEY = 'gantry-approval'

/** Whether a client can put a form in front of its user. Older ones said so by an empty object. */
export function canConfirm({ client }: ResolvedExchange): boolean {
  const { elicitation } = client.capabilities
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)
}

/** The question of `confirm: true`. The client that asks answers it. */
export function confirmation(exchange: ResolvedExchange, rules: readonly RuleModel[]): InputRequired {
  const said = rules.flatMap(({ confirm, message }) => (confirm && message !== undefined ? [message] : []))
  const { name, target } = exchange.resolved
  const message = said.length > 0 ? said.join(' ') : `Really use ${name} of ${target.name}?`
  return {
    type: 'input_required',
    inputRequests: {
      [CONFIRM_KEY]: {
        method: 'elicitation/create',
        params: {
          mode: 'form',
          message,
          requestedSchema: {
            type: 'object',
            properties: { confirmed: { type: 'boolean', title: 'Do it' } },
            required: ['confirmed'],
          },
        },
      },
    },
  }
}

/** What the caller answered to one of our questions; undefined when it did not. */
export function answerTo({ inputResponses }: JsonObject, key: string): JsonObject | undefined {
  const answer = isJsonObject(inputResponses) ? inputResponses[key] : undefined
  return isJsonObject(answer) ? answer : undefined
}

export function isConfirmed({ action, content }: JsonObject): boolean {
  return action === 'accept' && isJsonObject(content) && content.confirmed === true
}
