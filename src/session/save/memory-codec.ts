import { describeIssue, type ShapeIssue } from '../../json/shape/check-shape.ts'
import { SnapshotError } from '../../json/snapshot-error.ts'
import { isObject, type JsonValue } from '../../json/values.ts'
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
    try {
      return this.#read(saved)
    } catch (error) {
      // A getter or a proxy of the value threw.
      throw error instanceof SnapshotError ? error : notSaved('unreadable')
    }
  }

  #read(saved: unknown): Memory {
    if (!isObject(saved)) throw notSaved('the value is no object')
    const { format, version, memory } = saved
    this.#checkLabel(format, version)
    const issues: ShapeIssue[] = []
    const decoded = this.#codec.decode(memory, issues, ['memory'])
    if (isDecoded<Memory>(decoded, issues)) return decoded
    throw notSaved(issues.map(describeIssue)[0] ?? '', issues)
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

/** The fields of the codec are those of the memory. So a decoded value without an issue is one. */
function isDecoded<Memory>(_value: unknown, issues: readonly ShapeIssue[]): _value is Memory {
  return issues.length === 0
}

function notSaved(reason: string, issues: readonly ShapeIssue[] = []): SnapshotError {
  return new SnapshotError('not-a-snapshot', `not a saved memory: ${reason}`, issues)
}
