import type { GatewayModel } from './gateway-model.ts'

/** The configuration as it holds at one endpoint: a view has less than the gateway, and rules besides. */
export function endpointModel(model: GatewayModel, endpoint: string): GatewayModel {
  const view = model.views.find(({ name }) => name === endpoint)
  if (!view) return model
  const { policy, server, results } = model
  return {
    ...model,
    policy: { ...policy, within: view.use },
    server: view.instructions === undefined ? server : { ...server, instructions: view.instructions },
    results: [...results, ...view.results],
  }
}
