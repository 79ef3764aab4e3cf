import type { ShapeIssue } from './shape/check-shape.ts'

/**
 * The value is not a usable snapshot of a state, or not a usable saved session.
 * - `not-a-snapshot`: the value is something else, or a part of it is malformed; `issues` say where
 * - `unknown-version`: another version of the library made it
 * - `other-source`: another source read the session
 * - `damaged`: a part of the session has changed since it was saved
 */
export class SnapshotError extends Error {
  readonly code: 'not-a-snapshot' | 'unknown-version' | 'other-source' | 'damaged'
  readonly issues: readonly ShapeIssue[]

  constructor(code: SnapshotError['code'], message: string, issues: readonly ShapeIssue[] = []) {
    super(message)
    this.name = 'SnapshotError'
    this.code = code
    this.issues = issues
  }
}
