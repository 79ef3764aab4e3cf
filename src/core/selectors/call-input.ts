import { parsePartialJson } from '../json/partial.ts'
import { asString, isObject } from '../json/values.ts'
import type { BlockOf } from '../state/block.ts'
import { isOpenBlock, type SessionConversationState } from '../state/session.ts'
import { findConversation } from './find.ts'
import type { ShownStatus } from './status.ts'

/**
 * Returns the input of a tool call as far as it is known. While the input streams, that is the value of `inputText`:
 * its last text, list or object may be incomplete. Undefined if no value has begun, or if the text is no JSON.
 */
export function partialInput({ input, inputText }: BlockOf<'tool_use'>): unknown {
  if (inputText === undefined) return input
  return parsePartialJson(inputText)
}

/** The fields that say best what a call works on, the best first. */
const SUBJECTS: readonly string[] = [
  'command',
  'cmd',
  'file_path',
  'filePath',
  'notebook_path',
  'path',
  'pattern',
  'query',
  'url',
  'skill',
  'name',
  'title',
  'description',
  'prompt',
]

/** Returns the name of the field that says best what a call works on. */
export function subjectField(input: Readonly<Record<string, unknown>>): string | undefined {
  return [...SUBJECTS, ...Object.keys(input)].find((key) => subjectText(input, key) !== '')
}

/** Returns the text of a field, or nothing if it is no text. A command may be a list of words. */
export function subjectText(input: Readonly<Record<string, unknown>>, key: string): string {
  const value = Object.hasOwn(input, key) ? input[key] : undefined
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(' ')
  return asString(value) ?? ''
}

/** Returns what a call works on, such as its command or its path. Empty if its input has no text. */
export function callSubject(input: unknown): string {
  if (typeof input === 'string') return input
  const field = isObject(input) ? subjectField(input) : undefined
  return isObject(input) && field !== undefined ? subjectText(input, field) : ''
}

type Call = BlockOf<'tool_use'>
type Request = BlockOf<'request'>

/** The facts that decide the status of a call together with the call itself. */
interface CallFacts {
  /** Whether a request about it is open. */
  readonly isWaiting: boolean
  readonly isDenied: boolean
  /** Whether its result is an error. */
  readonly isFailed: boolean
  /** Whether the end of the input stopped it, if it does not run. */
  readonly isCut: boolean
}

/** Returns the status of a call that people see. An open request comes first: until its answer, the call does not run. */
export function callStatus({ status }: Pick<Call, 'status'>, facts: CallFacts): ShownStatus {
  if (facts.isWaiting) return 'waiting'
  if (facts.isDenied) return 'denied'
  if (facts.isFailed || status === 'error') return 'failed'
  if (status === 'pending') return 'running'
  return facts.isCut ? 'interrupted' : 'complete'
}

/** Whether the person refused the call that the requests are about, so that it did not run. */
export function isDenied(requests: readonly Pick<Request, 'denied'>[]): boolean {
  return requests.some(({ denied }) => denied)
}

/** Whether the call still runs, or the end of the input stopped it. */
export function isCutCall(state: SessionConversationState, call: Call): boolean {
  return isOpenBlock(call, findConversation(state, call.conversationId) ?? {})
}
