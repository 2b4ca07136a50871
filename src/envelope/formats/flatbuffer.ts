/**
 * A value of a FlatBuffers table. Numbers have their size in bytes; a whole number of 8 bytes is at most 2^53. `structs` is the
 * content of a list of structs whose members have 8 bytes each.
 */
export type Member =
  | { readonly size: 1 | 2 | 8; readonly value: number }
  | { readonly text: string }
  | { readonly list: readonly Member[] }
  | { readonly structs: readonly (readonly number[])[] }
  | { readonly table: Table }

/** The members of a table, by their slots. */
export type Table = readonly (Member | null)[]

const utf8 = new TextEncoder()

/**
 * Writes a table as a FlatBuffer. A table is written before the values that it refers to, because references point forward only.
 * See https://flatbuffers.dev/internals/.
 */
export function flatbuffer(root: Table): Uint8Array {
  const writer = new Writer()
  writer.number(4, 0)
  writer.refer(0, writer.table(root))
  return writer.bytes()
}

class Writer {
  #view = new DataView(new ArrayBuffer(1024))
  #end = 0

  /** The length is a multiple of 8. */
  bytes(): Uint8Array {
    this.#align(8)
    return new Uint8Array(this.#view.buffer, 0, this.#end)
  }

  /** Returns the position. */
  number(size: 1 | 2 | 4 | 8, value: number): number {
    const at = this.#grow(size)
    if (size === 1) this.#view.setUint8(at, value)
    else if (size === 2) this.#view.setUint16(at, value, true)
    else if (size === 4) this.#view.setUint32(at, value, true)
    else this.#view.setBigInt64(at, BigInt(value), true)
    return at
  }

  /** Writes at `from` that the value begins at `to`. */
  refer(from: number, to: number): void {
    this.#view.setUint32(from, to - from, true)
  }

  /** A table begins with the distance to its list of offsets, which is written before the table. */
  table(members: Table): number {
    this.#align(2)
    const offsets = this.number(2, 4 + 2 * members.length)
    const length = this.number(2, 0)
    const slots = members.map(() => this.number(2, 0))
    this.#align(8)
    const start = this.number(4, 0)
    this.#view.setInt32(start, start - offsets, true)
    const references: [number, Member][] = []
    for (const [slot, member] of members.entries()) {
      if (member === null) continue
      const size = 'size' in member ? member.size : 4
      this.#align(size)
      const at = this.number(size, 'size' in member ? member.value : 0)
      if (!('size' in member)) references.push([at, member])
      this.#view.setUint16(slots[slot] ?? 0, at - start, true)
    }
    this.#view.setUint16(length, this.#end - start, true)
    for (const [at, member] of references) this.refer(at, this.#referred(member))
    return start
  }

  #referred(member: Member): number {
    if ('table' in member) return this.table(member.table)
    this.#align(4)
    if ('text' in member) return this.#text(member.text)
    if ('structs' in member) {
      // The structs are aligned to 8 bytes, and their number is in the 4 bytes before them.
      if (this.#end % 8 === 0) this.#grow(4)
      const at = this.number(4, member.structs.length)
      for (const value of member.structs.flat()) this.number(8, value)
      return at
    }
    if (!('list' in member)) throw new TypeError('a number needs no reference')
    const at = this.number(4, member.list.length)
    const places = member.list.map(() => this.number(4, 0))
    for (const [index, item] of member.list.entries()) this.refer(places[index] ?? 0, this.#referred(item))
    return at
  }

  /** A text ends with a zero byte that its length does not count. */
  #text(text: string): number {
    const encoded = utf8.encode(text)
    const at = this.number(4, encoded.length)
    const start = this.#grow(encoded.length + 1)
    new Uint8Array(this.#view.buffer).set(encoded, start)
    return at
  }

  #align(size: number): void {
    this.#grow((size - (this.#end % size)) % size)
  }

  /** Appends zeros, and returns where they begin. */
  #grow(count: number): number {
    const at = this.#end
    this.#end += count
    if (this.#end > this.#view.byteLength) {
      const larger = new ArrayBuffer(2 * this.#end)
      new Uint8Array(larger).set(new Uint8Array(this.#view.buffer, 0, at))
      this.#view = new DataView(larger)
    }
    return at
  }
}
