/** Something that can be in one `LiveSet`; the set keeps its place there. */
export interface Live {
  place: number
}

/** A set for members that come and go with calls. A `Set` would keep ended calls alive (call-table.ts). */
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

  all(): Member[] {
    return [...this.#members]
  }
}
