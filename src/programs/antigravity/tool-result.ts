import { asArray, asObject, asString, isString, type JsonObject, parseJson } from '../../core/json/values.ts'
import type { FileChange } from '../../core/state/file-change.ts'
import { changeOfNewFile, changeOfReplacements } from '../diff.ts'

/** Returns the input of a call. Each argument is JSON in a text. */
export function inputOf(args: unknown): JsonObject {
  const entries = Object.entries(asObject(args)).map(([name, value]): [string, unknown] => [
    name,
    isString(value) ? (parseJson(value) ?? value) : value,
  ])
  return Object.fromEntries(entries)
}

/** Returns the exit code that the words of a result state. */
export function exitCodeOf(words: string): number | undefined {
  const [, code] = /^\s*The command failed with exit code: (-?\d+)/m.exec(words) ?? []
  if (code !== undefined) return Number(code)
  return /^\s*The command completed successfully/m.test(words) ? 0 : undefined
}

/** Returns the changes that a call has made to files. */
export function changesOf(toolName: string, input: JsonObject): readonly FileChange[] | undefined {
  const { TargetFile: path } = input
  if (!isString(path)) return undefined
  switch (toolName) {
    case 'write_to_file': {
      const change = changeOfNewFile(path, input.CodeContent)
      return change && [change]
    }
    case 'replace_file_content':
      return [changeOfReplacements(path, [replacement(input)])]
    case 'multi_replace_file_content':
      return [
        changeOfReplacements(
          path,
          asArray(input.ReplacementChunks).map((chunk) => replacement(asObject(chunk))),
        ),
      ]
    default:
      return undefined
  }
}

function replacement({ TargetContent, ReplacementContent }: JsonObject) {
  return { before: asString(TargetContent) ?? '', after: asString(ReplacementContent) ?? '' }
}

/** Returns the ids of the agents that the result of a call names. */
export function agentIdsIn(words: string): readonly string[] {
  return Array.from(words.matchAll(/"conversationId":\s*"([^"]+)"/g), ([, id = '']) => id)
}
