/** Slots at the first call, and at most; what finds none goes to a map. */
const FIRST_SLOTS = 8
const MAX_SLOTS = 1_024

/** Calls by id, mostly small ascending integers. A `Map` would keep ended calls alive (docs/adr/0010). */
export class CallTable<Id, Value> {
  #ids: (Id | undefined)[] = []
  #values: (Value | undefined)[] = []
  #others: Map<Id, Value> | undefined
  #size = 0

  get size(): number {
    return this.#size
  }

  has(id: Id): boolean {
    return this.#ids[this.#slotOf(id)] === id || this.#others?.has(id) === true
  }

  get(id: Id): Value | undefined {
    const slot = this.#slotOf(id)
    return this.#ids[slot] === id ? this.#values[slot] : this.#others?.get(id)
  }

  set(id: Id, value: Value): void {
    this.delete(id)
    this.#size++
    if (this.#size * 4 > this.#ids.length && this.#ids.length < MAX_SLOTS) this.#grow()
    this.#put(id, value)
  }

  delete(id: Id): boolean {
    const slot = this.#slotOf(id)
    if (this.#ids[slot] === id) {
      this.#ids[slot] = undefined
      this.#values[slot] = undefined
    } else if (this.#others?.delete(id) !== true) {
      return false
    }
    this.#size--
    return true
  }

  /** Ids and calls as they are now, in no particular order. */
  entries(): [Id, Value][] {
    const entries: [Id, Value][] = [...(this.#others ?? [])]
    for (const [slot, id] of this.#ids.entries()) {
      if (id !== undefined) entries.push([id, this.#values[slot] as Value])
    }
    return entries
  }

  values(): Value[] {
    return this.entries().map(([, value]) => value)
  }

  clear(): void {
    this.#ids = []
    this.#values = []
    this.#others = undefined
    this.#size = 0
  }

  /** −1, where nothing ever is, for ids that have no slot. */
  #slotOf(id: Id): number {
    return typeof id === 'number' && this.#ids.length > 0 ? id & (this.#ids.length - 1) : -1
  }

  #put(id: Id, value: Value): void {
    const slot = this.#slotOf(id)
    if (slot >= 0 && this.#ids[slot] === undefined) {
      this.#ids[slot] = id
      this.#values[slot] = value
    } else {
      this.#others ??= new Map()
      this.#others.set(id, value)
    }
  }

  #grow(): void {
    const entries = this.entries()
    const slots = this.#ids.length === 0 ? FIRST_SLOTS : this.#ids.length * 2
    this.#ids = new Array(slots).fill(undefined)
    this.#values = new Array(slots).fill(undefined)
    this.#others = undefined
    for (const [id, value] of entries) this.#put(id, value)
  }
}
