import {
  asArray,
  asObject,
  asString,
  isObject,
  isString,
  type JsonObject,
  parseJson,
} from '../../core/json/values.ts'
import type { DiffHunk, FileChange } from '../../core/state/file-change.ts'
import { changeOfHunks, changesOfPatch, hunksOfNewFile } from '../diff.ts'
import type { AnsweredCall, ProgramReader } from '../reader.ts'
import { RUN_TASK, SPAWN_AGENT, SUBAGENT } from './program.ts'

/** The facts that the program reports about a result. */
interface ClineResult {
  readonly output: unknown
  readonly isError: boolean
  readonly exitCode?: number | undefined
}

/** Returns the value of a result. Files have the JSON text of an object where the stream has the object. */
function resultValue(result: unknown): unknown {
  const value = isString(result) && result.startsWith('{') ? parseJson(result) : undefined
  return isObject(value) ? value : result
}

/** Reads the result of a call: one item for each file or command, the result of an MCP tool, or an error. Any other value is the output. */
export function readResult(result: unknown): ClineResult {
  const value = resultValue(result)
  const items = (Array.isArray(value) ? value : [value]).map(asObject)
  if (items.length > 0 && items.every(isItem)) return resultOfItems(items)
  const { error, isError, content } = asObject(value)
  const text = asArray(content).flatMap((part) => asString(asObject(part).text) ?? [])
  if (Array.isArray(content)) {
    const output = text.length === content.length ? text.join('\n') : content
    return { output, isError: isError === true }
  }
  if (isString(error)) return { output: error, isError: true }
  return { output: value, isError: isError === true || asObject(value).success === false }
}

function isItem({ query, success }: JsonObject): boolean {
  return isString(query) && typeof success === 'boolean'
}

function resultOfItems(items: readonly JsonObject[]): ClineResult {
  const outputs = items.map(({ result, error }) =>
    result === '' || result === undefined ? (error ?? '') : result,
  )
  const output = outputs.every(isString) ? outputs.join('\n') : outputs.length === 1 ? outputs[0] : outputs
  const codes = items.flatMap(
    ({ error }) => /exited with code (-?\d+)/.exec(asString(error) ?? '')?.[1] ?? [],
  )
  const code = codes.at(-1)
  return {
    output,
    isError: items.some(({ success }) => success === false),
    exitCode: code === undefined ? undefined : Number(code),
  }
}

/** Returns the changes of a call of `editor` or `apply_patch` that succeeded. */
export function fileChangesOf({ call, output }: AnsweredCall): readonly FileChange[] | undefined {
  const { path, new_text: text, input: patch } = asObject(call.input)
  if (call.toolName === 'apply_patch') return changesOfPatch(asString(patch) ?? '')
  if (call.toolName !== 'editor' || !isString(path)) return undefined
  const words = asString(output) ?? ''
  if (words.startsWith('File created'))
    return [changeOfHunks({ path, kind: 'add' }, hunksOfNewFile(asString(text) ?? ''))]
  return [changeOfHunks({ path, kind: 'edit' }, hunksIn(words))]
}

/** Reads the lines of a diff: `-<number>: <text>` and `+<number>: <text>`. */
function hunksIn(words: string): readonly DiffHunk[] {
  const [, diff = ''] = /```diff\n([\s\S]*)\n```/.exec(words) ?? []
  const lines = [...diff.matchAll(/^([-+ ])\s*(\d+): ?(.*)$/gm)]
  if (lines.length === 0) return []
  const side = (own: string) => lines.filter(([, mark]) => mark === own || mark === ' ')
  const start = (own: string) => Number(side(own)[0]?.[2] ?? lines[0]?.[2] ?? 1)
  return [
    {
      oldStart: start('-'),
      oldLines: side('-').length,
      newStart: start('+'),
      newLines: side('+').length,
      lines: lines.map(([, mark = '', , text = '']) => mark + text),
    },
  ]
}

/** The result of a call that started an agent. */
interface ClineAgentResult {
  /** The teammate works on after its call. */
  readonly isLaunch: boolean
  readonly isError: boolean
  readonly report: string | undefined
}

/** Reads the result of a call that started an agent. The call of an agent that failed succeeds. */
export function readAgentResult(toolName: string, result: unknown): ClineAgentResult {
  const { text, finishReason, mode } = asObject(resultValue(result))
  const { output, isError } = readResult(result)
  const report = asString(text) ?? asString(output)
  const hasFailed = isError || (isString(finishReason) && finishReason !== 'completed')
  return {
    isLaunch: toolName === RUN_TASK && isString(mode) && mode !== 'sync' && !hasFailed,
    isError: hasFailed,
    report,
  }
}

/** Reads Cline CLI for a protocol. */
export const clineReader: ProgramReader = {
  mergesAgents: true,
  queuesPrompts: true,
  // A title is `<name of the tool>: <argument>`.
  toolName: ({ toolName, title }) => toolName ?? /^[^\s:]+/.exec(title ?? '')?.[0],
  result: (_, shown, raw) => readResult(raw ?? shown),
  fileChanges: fileChangesOf,
  agentResult: ({ output }) => ({ ...readAgentResult(SPAWN_AGENT, output), agentType: SUBAGENT }),
}
