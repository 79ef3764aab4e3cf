import { asString, type JsonObject } from '../../../json/values.ts'
import { MAIN } from '../../../state/session.ts'
import type { ClaudeContext } from '../context.ts'
import type { Line } from '../lines/line.ts'
import { isInTree, isPromptLine } from '../lines/line-tree.ts'
import { bufferLine, EARLY, releaseGroup } from './buffer.ts'

/**
 * Whether the line waits for the line above it. Versions 2.1.34 to 2.1.280 may write the lines of the first turn in another order: the answer, then the
 * prompt, then its attachments. Only the uuids of the parents give the order.
 */
export function isEarlyLine(line: Line, context: ClaudeContext): boolean {
  const { parentUuid } = line.raw
  if (typeof parentUuid !== 'string' || !isInTree(line)) return false
  const { buffered, places } = context.notes
  const isBeginning =
    buffered.get(EARLY) !== undefined || (places.isEmpty && context.blocksOf(MAIN).length === 0)
  return isBeginning && places.get(parentUuid) === undefined && !isPromptLine(line)
}

/** Releases all early lines before a prompt that is not the first line: the lines above them are missing. */
export function releaseBeforePrompt(line: Line, context: ClaudeContext): readonly JsonObject[] {
  return isPromptLine(line) && line.raw.parentUuid !== null ? releaseGroup(EARLY, context) : NO_LINES
}

/** Releases the early lines below a line of the file, each after its parent. */
export function releaseBelow(line: Line, context: ClaudeContext): readonly JsonObject[] {
  if (context.notes.buffered.get(EARLY) === undefined || !isInTree(line)) return NO_LINES
  const lines = releaseGroup(EARLY, context)
  const left = new Set(lines)
  const below: JsonObject[] = []
  for (let parents = [line.uuid]; parents.length > 0; ) {
    const parent = parents.shift()
    const children = lines.filter((raw) => raw.parentUuid === parent && left.delete(raw))
    below.push(...children)
    parents = [...children.flatMap((raw) => asString(raw.uuid) ?? []), ...parents]
  }
  for (const raw of left) bufferLine({ raw }, EARLY, context)
  return below
}

const NO_LINES: readonly JsonObject[] = []
