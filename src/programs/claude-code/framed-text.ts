// The texts that Claude Code puts around the words of agents and persons, and how to take them off.

/** A message between members of a team. */
interface TeammateMessage {
  /** The name of the member, or the program's own name for itself: `system`. */
  readonly sender: string
  readonly body: string
}

const TEAMMATE_TAG = '<teammate-message '
const TEAMMATE_END = '</teammate-message>'

/** Returns the messages of teammates in a text. A member of a team may get several at once. */
export function teammateMessages(text: string): readonly TeammateMessage[] {
  const messages: TeammateMessage[] = []
  for (let from = text.indexOf(TEAMMATE_TAG); from >= 0; ) {
    const start = text.indexOf('>', from)
    const end = start < 0 ? -1 : text.indexOf(TEAMMATE_END, start)
    if (end < 0) break
    const sender = /\steammate_id="([^"]*)"/.exec(text.slice(from, start))?.[1] ?? ''
    messages.push({ sender, body: text.slice(start + 1, end).trim() })
    from = text.indexOf(TEAMMATE_TAG, end)
  }
  return messages
}

const HARNESS = /^\[Workflow harness — ([a-z]+ [a-z]+)\] [^\n]*\n/

/** Whether the text is the program's word to an agent of a workflow: its frame around a task, or around the person's request. */
export function isWorkflowFrame(text: string): boolean {
  return HARNESS.test(text)
}

/** Returns the task that a workflow gives its agent. The program indents each line of it. */
export function workflowTask(text: string): string | undefined {
  const frame = HARNESS.exec(text)
  if (frame?.[1] !== 'computed task') return undefined
  return text.slice(frame[0].length).replace(/^ {2}/gm, '')
}

/** Returns the words of `SendMessage` to an agent that the same session has started. */
export function coordinatorWords(text: string): string | undefined {
  return /^The coordinator sent a message while you were working:\n(.*?)(?:\n\nAddress this before [^\n]*)?$/s.exec(
    text,
  )?.[1]
}

/**
 * The program's own line behind a notification, which names a file: that of a transcript from 2.1.17 to 2.1.49, or
 * that of a command's output from 2.0.77 on.
 */
const NOTIFICATION_TAIL = /^\s*(?:(?:Full transcript|Read the output file) [^\n]*)?\s*/

/** Returns a report of a background task and the person's words that follow it in the same message. */
export function splitNotification(text: string): readonly [notification: string, words: string] | undefined {
  const tag = /^<((?:task|agent)-notification)>/.exec(text)?.[1]
  if (tag === undefined) return undefined
  const end = text.lastIndexOf(`</${tag}>`)
  if (end < 0) return undefined
  const from = end + tag.length + 3
  const words = text.slice(from).replace(NOTIFICATION_TAIL, '')
  return words === '' ? undefined : [text.slice(0, from), words]
}

/** Returns the output of an agent that a notification reports. The result of a failed one is its last text: the summary has the reason. */
export function outputInNotification(text: string): string | undefined {
  const summary = textInTag(text, 'status') === 'failed' ? textInTag(text, 'summary') : undefined
  const reason = /^Agent ".*?" failed: (.*)$/s.exec(summary ?? '')?.[1]
  return reason ?? textInTag(text, 'result')
}

/**
 * Returns the text in a tag of a notification. The report may itself contain tags, even the notification's own. So
 * the report ends at the last end tag, and tags behind the report are searched from the end.
 */
export function textInTag(text: string, tag: string, { isLast = false } = {}): string | undefined {
  const from = isLast ? text.lastIndexOf(`<${tag}>`) : text.indexOf(`<${tag}>`)
  const to = tag === 'result' ? text.lastIndexOf(`</${tag}>`) : text.indexOf(`</${tag}>`, from)
  return from < 0 || to < from ? undefined : unescaped(text.slice(from + tag.length + 2, to))
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
  '&quot;': '"',
  '&apos;': "'",
}

/** The program writes signs of markup as entities. Versions before did not, so a text with such a sign has no entities. */
function unescaped(text: string): string {
  if (/[<>]/.test(text)) return text
  return text.replaceAll(/&(?:lt|gt|amp|quot|apos);/g, (entity) => ENTITIES[entity] ?? entity)
}
