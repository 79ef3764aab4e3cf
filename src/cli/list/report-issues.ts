import type { ListIssue } from '../../node/list/session-summary.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { oneLine } from '../terminal/text.ts'

/** Returns a function that prints a problem of a listing as one line on standard error. */
export function reportIssues(terminal: Terminal): (issue: ListIssue) => void {
  return ({ path, reason }) => {
    terminal.writeError(`agentfold: ${oneLine(`${path}: ${reason}`)}\n`)
  }
}
