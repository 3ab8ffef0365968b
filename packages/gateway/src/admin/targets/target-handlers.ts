import type { Target } from '../../targets/target.ts'
import type { AdminHost } from '../admin-host.ts'
import { ApiError } from '../api-error.ts'
import { authorOf } from '../config/author-of.ts'
import type { TargetAction } from '../contract.ts'
import type { Handlers } from '../handlers.ts'
import type { TargetEntries } from '../config/target-entries.ts'
import { findTarget } from './find-target.ts'
import type { ProcessWatch } from './process-watch.ts'
import type { TargetCards } from './target-cards.ts'
import { targetDetail } from './target-detail.ts'

const STDERR_LINES = 1000

type TargetHandlers = Pick<
  Handlers,
  'targets' | 'target' | 'updateTarget' | 'removeTarget' | 'targetAction' | 'signIn' | 'stderr'
>

export interface TargetSources {
  readonly host: AdminHost
  readonly cards: TargetCards
  readonly processes: ProcessWatch
  readonly entries: TargetEntries
}

export function targetHandlers(sources: TargetSources): TargetHandlers {
  const { host, cards, entries } = sources
  return {
    targets: async () => ({ targets: await cards.all() }),
    target: async ({ params }) => {
      const target = findTarget(host.gateway, params.name)
      return targetDetail(target, await entries.read(target.name), sources)
    },
    updateTarget: ({ params, body, caller }) => entries.update(params.name, body, authorOf(caller)),
    removeTarget: ({ params, query, caller }) =>
      entries.remove(params.name, query?.revision, authorOf(caller)),
    targetAction: async ({ params, body }) => {
      const target = findTarget(host.gateway, params.name)
      await act(host, target, body.action)
      return cards.card(target)
    },
    signIn: async ({ params }) => ({ url: await signInUrl(host, findTarget(host.gateway, params.name)) }),
    stderr: ({ params, query }) => ({
      lines: findTarget(host.gateway, params.name).stderr.tail(query?.limit ?? STDERR_LINES, query?.after),
    }),
  }
}

/** A target that does not start is not an error of the request: its state says so. */
async function act({ gateway }: AdminHost, target: Target, action: TargetAction['action']): Promise<void> {
  if (!target.model.enabled) {
    throw new ApiError('conflict', `"${target.name}" is off`, {
      fix: target.model.disabledReason ?? 'Set "enabled": true in the configuration.',
    })
  }
  const failed = (error: unknown): void =>
    gateway.log('info', `${target.name}: ${action} failed: ${String(error)}`, { target: target.name })
  switch (action) {
    case 'start':
      return target.start().catch(failed)
    case 'stop':
      return target.suspend()
    case 'restart':
      return target.restart().catch(failed)
    case 'refresh':
      return gateway.catalog.of(target)?.refresh().catch(failed)
  }
}

/** Begins a login and resolves with the page to show; what follows happens by itself. */
function signInUrl({ gateway }: AdminHost, target: Target): Promise<string> {
  return new Promise((resolve, reject) => {
    target.signIn({ open: (url) => resolve(url) }).then(
      () => gateway.log('info', `${target.name}: signed in`, { target: target.name }),
      (error) => {
        gateway.log('warn', `${target.name}: signing in failed: ${String(error)}`, {
          target: target.name,
          event: 'target-sign-in-failed',
        })
        reject(
          new ApiError(
            'conflict',
            `Signing in at "${target.name}" failed: ${String(error.message ?? error)}`,
          ),
        )
      },
    )
  })
}
