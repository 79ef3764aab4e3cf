import { omitUndefined } from '../../core/json/fields.ts'
import { isObject } from '../../core/json/values.ts'
import type { FileChange } from '../../core/state/file-change.ts'
import type { TokenUsage } from '../../core/state/session.ts'
import { changeOfNewFile, changeOfReplacements, changesOfPatch, replacementsIn } from '../../programs/diff.ts'

// The lines of `.aider.chat.history.md`, and what becomes of each. The file has no ids, and no time but that of a start.
// # aider chat started at 2026-01-01 10:00:00   another chat, which is a session of its own
// #### words␠␠                                  a line of a prompt; a command of the program if it begins with `/`
// > Tokens: 2.5k sent, 18 received.␠␠           the end of a reply, with rounded tokens; the turn has ended
// > Model: …␠␠  > Main model: …␠␠               the model
// > litellm.…Error…␠␠                           the turn has failed
// > ^C again to exit␠␠                          the person has stopped the turn; a part of the reply may follow
// > Applied edit to …␠␠                         a message of the program, with the change
// > Attempt to fix …: y␠␠                       a note; the program asks the model again
// > other words␠␠                               a note of the program
// <thinking-content-…>                          thinking, up to its end or the next line of the program or a person
// other words                                   the reply; before the first prompt, nobody's

/** The kind of a line. */
export type Line =
  | { readonly type: 'chat'; readonly id: string }
  | { readonly type: 'prompt'; readonly text: string }
  | { readonly type: 'program'; readonly text: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking' | 'thought' }

const CHAT = /^# aider chat started at (\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)\s*$/

/** Returns the time of a chat's start, as the line states it: without a zone. Undefined for another line. */
export function startOfChat(value: unknown): string | undefined {
  const [, day, time] = CHAT.exec(textOf(value) ?? '') ?? []
  return day === undefined || time === undefined ? undefined : `${day}T${time}`
}

/** Returns the words of a line; undefined for any other value. */
export function textOf(value: unknown): string | undefined {
  return isObject(value) && typeof value.text === 'string' ? value.text : undefined
}

/** Reads a line. The program writes two spaces at the end of its own lines and of those of a prompt, and a model does not. */
export function readLine(text: string): Line {
  const id = startOfChat({ text })
  if (id !== undefined) return { type: 'chat', id }
  if (/^<thinking-content-[^>]*>\s*$/.test(text)) return { type: 'thinking' }
  if (/^<\/thinking-content-[^>]*>\s*$/.test(text)) return { type: 'thought' }
  const [, mark, own] = /^(####|>)(?: (.*?))?\s\s$/s.exec(text) ?? []
  if (mark === undefined) return { type: 'text', text: text.trimEnd() }
  return { type: mark === '>' ? 'program' : 'prompt', text: (own ?? '').trimEnd() }
}

/** The commands that ask the model. Any other one is for the program alone. */
const ASKING = /^\/(?:ask|code|architect|context|help|lint|test|web)\s+\S/

/** Whether the words of a prompt are a command that no model gets. */
export function isCommand(text: string): boolean {
  return /^[/!]\S/.test(text) && !ASKING.test(text)
}

/** The state of the turn, as a line of the program tells it. */
type Report =
  | { readonly type: 'tokens'; readonly usage: TokenUsage; readonly costUsd?: number | undefined }
  | { readonly type: 'model'; readonly model: string }
  | { readonly type: 'edit'; readonly path: string }
  | { readonly type: 'failed' | 'interrupted' | 'retry' | 'reflection' | 'note' }

/** Reads a line of the program. */
export function readReport(text: string): Report {
  const [, sent] = /^Tokens: ([\d.]+[kM]?) sent\b/.exec(text) ?? []
  if (sent !== undefined) return { type: 'tokens', usage: readTokens(sent, text), costUsd: costIn(text) }
  const [, model] = /^(?:Main model|Model): (.+?)(?: with .+ edit format.*)?$/.exec(text) ?? []
  if (model !== undefined) return { type: 'model', model }
  const [, path] = /^Applied edit to (.+)$/.exec(text) ?? []
  if (path !== undefined) return { type: 'edit', path }
  if (/^\^C (?:again to exit|KeyboardInterrupt)/.test(text)) return { type: 'interrupted' }
  if (/^Retrying in /.test(text)) return { type: 'retry' }
  if (/^Attempt to fix .*: y(?:es)?$/i.test(text)) return { type: 'reflection' }
  return { type: /^litellm\.\S*(?:Error|Exception)/.test(text) ? 'failed' : 'note' }
}

function readTokens(sent: string, text: string): TokenUsage {
  const count = (words: RegExp) => countOf(words.exec(text)?.[1])
  const cacheReadTokens = count(/([\d.]+[kM]?) cache hit/)
  const cacheWriteTokens = count(/([\d.]+[kM]?) cache write/)
  const outputTokens = count(/([\d.]+[kM]?) received/)
  const inputTokens = countOf(sent) ?? 0
  return omitUndefined({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens })
}

/** The program rounds a larger count: `2.5k`. */
function countOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const unit = text.endsWith('k') ? 1_000 : text.endsWith('M') ? 1_000_000 : 1
  const count = Math.round(Number.parseFloat(text) * unit)
  return Number.isFinite(count) ? count : undefined
}

/** Returns the cost of the whole chat so far. */
function costIn(text: string): number | undefined {
  const [, cost] = /\$([\d.]+) session/.exec(text) ?? []
  const value = cost === undefined ? Number.NaN : Number.parseFloat(cost)
  return Number.isFinite(value) ? value : undefined
}

/** A block of code, with the line before it: the path of a file. */
const FENCED = /(?:^|\n)([^\n`]+)\n(`{3,})[^\n]*\n([\s\S]*?)\n?\2(?=\n|$)/g

/**
 * Returns the changes to a file that a reply writes: replacements, a diff, or the whole file. A replacement of nothing
 * makes a file, or adds to one: no line says which.
 */
export function changesInReply(path: string, reply: string): readonly FileChange[] | undefined {
  const own = Array.from(reply.matchAll(FENCED)).filter(([, name = '']) => isName(name, path))
  const replacements = own.flatMap(([, , , code = '']) => replacementsIn(`${code}\n`))
  if (replacements.length > 0) return [changeOfReplacements(path, replacements)]
  const whole = own.at(-1)?.[3]
  if (whole !== undefined) {
    const change = changeOfNewFile(path, `${whole}\n`)
    return change && [change]
  }
  const patched = changesOfPatch(reply).filter((change) => change.path === path)
  return patched.length > 0 ? patched : undefined
}

/** Models write a path in their own ways: with stars, as code, or with a colon behind it. */
function isName(name: string, path: string): boolean {
  return name.replace(/^[*#\s]+|[*:\s]+$/g, '') === path
}
