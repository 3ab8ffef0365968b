import type { JsonObject, Timestamp } from './common.ts'

/** A call that waits for the approval of another person, or was decided and not made yet. */
export interface ApprovalReport {
  readonly id: string
  readonly state: 'pending' | 'approved' | 'denied'
  readonly askedAt: Timestamp
  /** Until when it can be decided; once it is approved, until when the call can be made. */
  readonly expiresAt: Timestamp
  /** The caller; absent when it has no credentials. */
  readonly caller?: string
  /** The name of its client. */
  readonly client?: string
  /** The endpoint, unless it is the common one. */
  readonly view?: string
  readonly target: string
  readonly kind: 'tools' | 'prompts' | 'resources' | 'methods'
  /** The target's own name of what is called. */
  readonly name: string
  /** Without what the rules for results mask; absent when they withhold all of it. */
  readonly args?: JsonObject
  /** The approvals that the rules demand. All of them have to be given. */
  readonly needs: readonly ApprovalNeedReport[]
  /** Whether the reader may decide it. */
  readonly mayDecide: boolean
  /** Whether the reader made this call. A caller cannot approve its own calls. */
  readonly isOwn: boolean
}

export interface ApprovalNeedReport {
  readonly rule: string
  /** Such as `group:leads`. */
  readonly by: readonly string[]
  readonly message?: string
  readonly decision?: {
    readonly approved: boolean
    readonly by: string
    readonly reason?: string
    readonly at: Timestamp
  }
}

export interface DecideApproval {
  readonly approved: boolean
  /**
   * Told to the caller.
   * @maxLength 1000
   */
  readonly reason?: string
}
