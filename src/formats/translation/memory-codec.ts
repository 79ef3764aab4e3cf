import { describeIssue, type ShapeIssue } from '../../json/check-shape.ts'
import { isTooDeep, MAX_DEPTH } from '../../json/depth.ts'
import { SnapshotError } from '../../json/snapshot-error.ts'
import { isObject, type JsonObject, type JsonValue } from '../../json/values.ts'
import type { MemoryFields, MemoryFieldsOf } from './memory-shape.ts'
import { codecOf, type ShapeCodec } from './shape-codec.ts'

/** The name of a format, and the version of the shape of its memory. */
interface MemoryLabel {
  readonly format: string
  readonly version: number
}

/** Saves the memory of a format's source as JSON, and loads it. The declared shape alone decides what a memory holds. */
export class MemoryCodec<Memory> {
  readonly #label: MemoryLabel
  readonly #codec: ShapeCodec

  constructor({ format, version }: MemoryLabel, fields: MemoryFieldsOf<Memory> & MemoryFields) {
    this.#label = { format, version }
    this.#codec = codecOf({ fields })
  }

  /** Returns the memory as plain JSON, with the format's name and the version. */
  save(memory: Memory): JsonValue {
    return { ...this.#label, memory: this.#codec.encode(memory) }
  }

  /** Returns the memory of a saved value. Throws a `SnapshotError` for any other value. */
  load(saved: unknown): Memory {
    const { format, version, memory } = plainCopy(saved)
    this.#checkLabel(format, version)
    const issues: ShapeIssue[] = []
    const decoded = this.#codec.decode(memory, issues, ['memory'])
    if (isDecoded<Memory>(decoded, issues)) return decoded
    throw new SnapshotError('not-a-snapshot', `not a saved memory: ${issues.map(describeIssue)[0]}`, issues)
  }

  #checkLabel(format: unknown, version: unknown): void {
    const own = this.#label
    if (typeof format !== 'string' || typeof version !== 'number')
      throw notSaved('it needs format, version and memory')
    if (format !== own.format)
      throw new SnapshotError('other-format', `a memory of ${format}, but this source reads ${own.format}`)
    if (version !== own.version)
      throw new SnapshotError(
        'unknown-version',
        `a memory of version ${version}, but this library reads version ${own.version}`,
      )
  }
}

function isDecoded<Memory>(_decoded: unknown, issues: readonly ShapeIssue[]): _decoded is Memory {
  return issues.length === 0
}

/** The most levels of a saved value. A memory holds messages some levels further down. */
const MAX_LEVELS = 2 * MAX_DEPTH

/** Returns a copy of plain data, because the value belongs to the caller, and may have getters and inherited fields. */
function plainCopy(saved: unknown): JsonObject {
  let copy: unknown
  try {
    if (isTooDeep(saved, MAX_LEVELS)) throw notSaved('too deep')
    copy = JSON.parse(JSON.stringify(saved))
  } catch (error) {
    // A getter or a proxy of the value threw, or JSON cannot hold the value.
    throw error instanceof SnapshotError ? error : notSaved('unreadable')
  }
  if (!isObject(copy)) throw notSaved('the value is no object')
  return copy
}

function notSaved(reason: string): SnapshotError {
  return new SnapshotError('not-a-snapshot', `not a saved memory: ${reason}`)
}
