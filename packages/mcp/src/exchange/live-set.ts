/** Something that can be in one `LiveSet`; the set keeps its place there. */
export interface Live {
  place: number
}

/**
 * A set for what comes and goes with every call. A `Set` would make the collector keep calls that are over, as a
 * `Map` does (call-table.ts).
 */
export class LiveSet<Member extends Live> {
  readonly #members: Member[] = []

  get size(): number {
    return this.#members.length
  }

  add(member: Member): void {
    if (this.#members[member.place] === member) return
    member.place = this.#members.length
    this.#members.push(member)
  }

  delete(member: Member): boolean {
    const { place } = member
    if (this.#members[place] !== member) return false
    const last = this.#members.pop() as Member
    if (last !== member) {
      this.#members[place] = last
      last.place = place
    }
    return true
  }

  /** The members as they are now, in no particular order. */
  all(): Member[] {
    return [...this.#members]
  }
}
