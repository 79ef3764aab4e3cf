/** Returns the text without what nobody else may see. */
export type Redact = (text: string) => string

/** How a transcript is written. */
export interface MarkdownOptions {
  /** Shows one agent with the agents below it: `'main'`, or either id of a subagent. The default is the whole session. */
  readonly conversationId?: string
  /**
   * Applied to every text that comes from the session, before it is shortened: prompts, answers, inputs, outputs,
   * paths, names and errors. An input that is an object is passed text by text, each text with its name or the words
   * before it, and as a whole. So the function may get a part of its own result again, and it must return the same
   * for the same text. The default changes nothing.
   */
  readonly redact?: Redact
  /** How many lines of a tool's output are shown; `Infinity` shows all. The default is 20. */
  readonly toolOutputLines?: number
  /** False for programs that do not show HTML: nothing is collapsed. The default is true. */
  readonly details?: boolean
}

/** Returns the options with their defaults. Throws a `RangeError` for a number of lines that is no whole number from 0. */
export function withDefaults({
  conversationId,
  redact = (text) => text,
  toolOutputLines = 20,
  details = true,
}: MarkdownOptions): Required<Omit<MarkdownOptions, 'conversationId'>> &
  Pick<MarkdownOptions, 'conversationId'> {
  const isCount = Number.isInteger(toolOutputLines) || toolOutputLines === Number.POSITIVE_INFINITY
  if (!isCount || toolOutputLines < 0)
    throw new RangeError(`toolOutputLines is a whole number from 0 or Infinity, not ${toolOutputLines}`)
  const base = { redact, toolOutputLines, details }
  return conversationId === undefined ? base : { ...base, conversationId }
}
