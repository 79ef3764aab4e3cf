/** The beginning of the program's words for the model about a call that had no result when the process was killed. */
const ENDED_SESSION = '[Tool call interrupted: the session ended'

/** Whether the text stands in the place of a call's result. A process that resumes a killed session writes it, to the file only. */
export function isKilledCallText(text: string): boolean {
  return text.startsWith(ENDED_SESSION)
}
