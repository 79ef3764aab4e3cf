/**
 * The signature of a session's texts: a Bloom filter with one hash of each three letters that follow each other, and a
 * power of two of bits. It has a bit for each of them, so a text with a bit that is not set is not in the session. It
 * needs a hundredth of the space of an index of words, and the reading of a session decides.
 */
type TextSignature = Uint8Array

/** In bits, as powers of two. */
const SMALLEST = 10
const LARGEST = 20

/** The number of hashes, and of bits in a signature before it is folded. */
const HASHES = 2 ** LARGEST

/** Collects texts, and makes their signature. */
export class SignatureMaker {
  readonly #bits = new Uint8Array(HASHES / 8)
  /** The places of the bytes that are not 0. */
  #places: number[] = []
  #count = 0

  add(text: string): void {
    const length = text.length
    let [before, last] = [0, 0]
    for (let at = 0; at < length; at += 1) {
      const unit = foldedUnit(text.charCodeAt(at))
      if (unit > 0 && last > 0) {
        if (before > 0) this.#set(hashOf(before, last, unit))
        if (last >= FIRST_WIDE && unit >= FIRST_WIDE) this.#set(hashOf(0, last, unit))
      }
      before = last
      last = unit
    }
  }

  #set(hash: number): void {
    const byte = hash >>> 3
    const bit = 1 << (hash & 7)
    const known = this.#bits[byte] ?? 0
    if ((known & bit) !== 0) return
    if (known === 0) this.#places.push(byte)
    this.#bits[byte] = known | bit
    this.#count += 1
  }

  /** Returns the signature, with twice as many bits as the texts have different parts, and forgets the texts. */
  take(): TextSignature {
    const size = Math.min(LARGEST, Math.max(SMALLEST, Math.ceil(Math.log2(2 * this.#count + 1))))
    const bits = new Uint8Array(2 ** size / 8)
    for (const at of this.#places) {
      const place = at % bits.length
      bits[place] = (bits[place] ?? 0) | (this.#bits[at] ?? 0)
      this.#bits[at] = 0
    }
    this.#places = []
    this.#count = 0
    return bits
  }
}

/** Returns the hashes that each session with the words has. */
export function wordHashes(words: readonly string[]): readonly number[] {
  const hashes: number[] = []
  for (const word of words)
    for (let at = 1; at < word.length; at += 1) {
      const [before, last, unit] = [at - 2, at - 1, at].map((place) => foldedUnit(word.charCodeAt(place)))
      if (!last || !unit) continue
      if (before) hashes.push(hashOf(before, last, unit))
      if (last >= FIRST_WIDE && unit >= FIRST_WIDE) hashes.push(hashOf(0, last, unit))
    }
  return hashes
}

/** Whether texts with that signature may have all the hashes. */
export function mayHaveAll(bits: TextSignature, hashes: readonly number[]): boolean {
  const mask = bits.length - 1
  return hashes.every((hash) => ((bits[(hash >>> 3) & mask] ?? 0) & (1 << (hash & 7))) !== 0)
}

/** Kana, Han and Hangul have no capitals. Words of two of them are usual. */
const FIRST_WIDE = 0x3040

/**
 * Returns the number of a letter without its case. 0 for letters outside ASCII that have, or may have, a case. Their
 * rules differ between a pattern and `toLowerCase`, so they are in no signature.
 */
function foldedUnit(unit: number): number {
  if (unit < 0x80) return unit <= 0x20 ? 0 : unit >= 65 && unit <= 90 ? unit + 32 : unit
  // In a pattern without case, the long s and the Kelvin sign are letters of ASCII.
  if (unit === 0x17f) return 115
  if (unit === 0x212a) return 107
  return (unit >= FIRST_WIDE && unit < 0xa000) || (unit >= 0xac00 && unit < 0xd7a4) ? unit : 0
}

function hashOf(first: number, second: number, third: number): number {
  let hash = Math.imul(first * 31 + second, 0x9e3779b1) ^ Math.imul(third, 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 15), 0xc2b2ae35)
  return (hash ^ (hash >>> 13)) >>> (32 - LARGEST)
}
