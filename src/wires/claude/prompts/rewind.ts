import { asString } from '../../../json/values.ts'
import { withChanges } from '../../../json/with-changes.ts'
import { isSubagentBlockId } from '../../../state/block.ts'
import { MAIN } from '../../../state/session.ts'
import { agentOfBlock } from '../agents/abandon-agent.ts'
import { storeAgent } from '../agents/register-agent.ts'
import { abandonCallOf } from '../blocks/model/model-block.ts'
import { upsertSystemBlock } from '../blocks/system-block.ts'
import type { ClaudeContext } from '../context.ts'
import type { Line } from '../lines/line.ts'
import type { LinePlace } from '../lines/line-place.ts'
import { blockIdsOf, isPromptLine, placeOf, placeOfUuid } from '../lines/line-tree.ts'
import type { ClaudeMemory } from '../memory.ts'

/**
 * Takes back an abandoned branch of main's file. A person who rewinds goes back to before a prompt, and writes another one in its
 * place. Both stay in the file. The earlier one begins an abandoned branch if three things are true:
 * - Both prompts hang on the same message of the model.
 * - The new prompt is no descendant of the earlier one.
 * - The model has answered in between.
 *
 * The tree also branches without a rewind. Results of parallel calls hang on their calls. A resumed program leaves out a call without a result,
 * but no prompt. A compaction begins a tree of its own.
 */
export function takeBackBranch(line: Line, context: ClaudeContext): void {
  const place = isPromptLine(line) ? placeOf(line, context.memory) : undefined
  const { lastAnchor, promptsByAnchor } = context.memory
  if (place?.parent === undefined || lastAnchor === place.anchor) return
  const from = promptsByAnchor.get(place.anchor)
  if (from === undefined || from === place.firstPrompt) return
  abandonBranch(line, { from, ancestors: ancestorsUpToAnchor(place, context.memory) }, context)
  context.remember({ lastAnchor: place.anchor })
}

function abandonBranch(
  line: Line,
  { from, ancestors }: { readonly from: string; readonly ancestors: ReadonlySet<string> },
  context: ClaudeContext,
): void {
  const { lastLine } = context.memory
  const lines = linesFrom(from, context.memory)
  const abandoned = lines.filter((uuid) => !ancestors.has(uuid))
  const kept = lines.filter((uuid) => ancestors.has(uuid))
  const blockIds = abandoned.flatMap((uuid) => {
    const known = context.memory.readLines.get(uuid)
    return known ? blockIdsOf(known) : []
  })
  const before = placeOfUuid(from, context.memory)?.previous
  for (const blockId of blockIds) abandonCall(blockId, context)
  for (const uuid of abandoned) forgetPrompt(uuid, context)
  context.remember({ lastUserMessage: undefined })
  joinLines(before, kept, context)
  const branchId = `rewind:${line.uuid}`
  const data = { from: lastLine, to: asString(line.raw.parentUuid), blockIds }
  const message = 'The person rewound the conversation'
  // The mark comes first, so that a branch never names a block that is not there.
  upsertSystemBlock(line, { id: branchId, subtype: 'rewind', message, data }, context)
  context.emit({ type: 'branch:abandoned', branchId, blockIds })
}

/** A result that comes later must not bring the call's blocks back. An agent that has started goes on without its block. */
function abandonCall(blockId: string, context: ClaudeContext): void {
  const called = isSubagentBlockId(blockId) ? agentOfBlock(blockId, context) : undefined
  const call = abandonCallOf(MAIN, blockId, context)
  const { agents } = context.memory
  const started = agents.get(called?.toolUseId ?? '')
  if (started) return storeAgent(withChanges(started, { isAbandoned: true }), context)
  const toolUseId = (call ?? called)?.toolUseId
  if (toolUseId !== undefined) context.setEntry('abandonedCalls', toolUseId, toolUseId)
}

/** Returns the lines of the active branch from that one on, in the order of the file. */
function linesFrom(first: string, memory: ClaudeMemory): readonly string[] {
  const lines = new Set<string>()
  for (let uuid = memory.lastLine; uuid !== undefined && !lines.has(uuid); ) {
    lines.add(uuid)
    uuid = uuid === first ? undefined : placeOfUuid(uuid, memory)?.previous
  }
  return [...lines].reverse()
}

/** Returns the ancestors of a prompt between it and its anchor. */
function ancestorsUpToAnchor({ anchor, parent }: LinePlace, memory: ClaudeMemory): ReadonlySet<string> {
  const ancestors = new Set<string>()
  for (let uuid = parent; uuid !== undefined && !ancestors.has(uuid); ) {
    const place = placeOfUuid(uuid, memory)
    if (place?.anchor !== anchor) break
    ancestors.add(uuid)
    uuid = place.parent
  }
  return ancestors
}

function forgetPrompt(uuid: string, context: ClaudeContext): void {
  const anchor = placeOfUuid(uuid, context.memory)?.anchor ?? ''
  if (context.memory.promptsByAnchor.get(anchor) === uuid) context.removeEntry('promptsByAnchor', anchor)
}

/** Makes the lines follow each other, and makes the last of them the last line. */
function joinLines(before: string | undefined, lines: readonly string[], context: ClaudeContext): void {
  let previous = before
  for (const uuid of lines) {
    const place = placeOfUuid(uuid, context.memory)
    if (place) context.setEntry('places', uuid, { ...place, previous })
    previous = uuid
  }
  context.remember({ lastLine: previous })
}
