import { sha256Hex } from '../../core/json/sha256.ts'

/** Makes new ids from those of the source: the same session gives the same ids, and no character of a source's id is in them. */
export interface IdMaker {
  /** Returns that many hexadecimal digits. */
  hex(length: number, ...names: readonly string[]): string
  uuid(...names: readonly string[]): string
}

/** Returns ids for one written session. */
export function idMaker(session: string): IdMaker {
  const hex = (length: number, ...names: readonly string[]) =>
    sha256Hex(JSON.stringify([session, ...names])).slice(0, length)
  return { hex, uuid: (...names) => uuidOf(hex(32, ...names)) }
}

/** Formats 32 hexadecimal digits as a UUID of version 5, which stands for the hash of a name. Some programs refuse later versions. */
function uuidOf(hex: string): string {
  const [time, middle, last] = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(13, 16)]
  return `${time}-${middle}-5${last}-a${hex.slice(17, 20)}-${hex.slice(20)}`
}
