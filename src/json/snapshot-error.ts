import type { ShapeIssue } from './shape/check-shape.ts'

/**
 * The value is not a usable snapshot of a state, or not a usable saved memory of a source.
 * - `not-a-snapshot`: the value is something else, or a part of it is malformed; `issues` say where
 * - `unknown-version`: another version of the library made it
 * - `other-format`: the source of another format saved the memory
 */
export class SnapshotError extends Error {
  readonly code: 'not-a-snapshot' | 'unknown-version' | 'other-format'
  readonly issues: readonly ShapeIssue[]

  constructor(code: SnapshotError['code'], message: string, issues: readonly ShapeIssue[] = []) {
    super(message)
    this.name = 'SnapshotError'
    this.code = code
    this.issues = issues
  }
}
