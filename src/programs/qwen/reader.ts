import { omitUndefined } from '../../core/json/fields.ts'
import { asFiniteNumber, asString, isObject, isString, type JsonObject } from '../../core/json/values.ts'
import { uncachedInput } from '../../core/state/session.ts'
import type { ProgramReader } from '../reader.ts'
import { agentEndIn, exitCodeIn, fileChangesOf, launchedIdIn, notifiedEnd } from './tool-result.ts'

/** Reads Qwen Code for a protocol. */
export const qwenReader: ProgramReader = {
  agentResult({ record, output }) {
    const text = asString(output) || asString(record.result) || ''
    const launchedId = launchedIdIn(text)
    if (launchedId !== undefined) return { agentId: launchedId, isLaunch: true }
    return { isError: agentEndIn(text, record).isError || undefined, report: text || undefined }
  },
  // The raw output is the tool's record for the screen.
  result: (record, shown) => ({
    output: isString(shown) && shown !== '' ? shown : undefined,
    exitCode: isCommand(record, shown) ? exitCodeIn('run_shell_command', record, shown) : undefined,
  }),
  fileChanges: fileChangesOf,
  messageOrigin: (text) => (text.startsWith('<task-notification>') ? 'notification' : undefined),
  notifiedEnd: (text) => notifiedEnd(text),
  // The input holds the tokens that came from the cache, and the output those of the thinking.
  tokensOf({ usage }) {
    if (!isObject(usage)) return undefined
    const { inputTokens, outputTokens, cachedReadTokens, thoughtTokens } = usage
    const cached = asFiniteNumber(cachedReadTokens) || undefined
    return omitUndefined({
      inputTokens: uncachedInput(asFiniteNumber(inputTokens), cached),
      outputTokens: asFiniteNumber(outputTokens),
      cacheReadTokens: cached,
      reasoningTokens: asFiniteNumber(thoughtTokens) || undefined,
    })
  },
  ownMessage: ({ method }) => (/^(?:qwen|craft)\//.test(method) ? { type: 'ignored' } : undefined),
}

function isCommand({ type }: JsonObject, shown: unknown): boolean {
  return type === 'shell_result' || (isString(shown) && shown.startsWith('Command: '))
}
