import { asString } from '../../../json/values.ts'
import { MAIN } from '../../../state/session.ts'
import { abandonUnstartedAgent } from '../agents/abandon-agent.ts'
import { upsertSystemBlock } from '../blocks/system-block.ts'
import type { ClaudeContext } from '../context.ts'
import type { Line } from '../lines/line.ts'
import { isPromptLine, placeOf } from '../lines/line-tree.ts'
import type { LinePlace } from '../notes.ts'

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
  const place = isPromptLine(line) ? placeOf(line, context) : undefined
  const { lastAnchor, promptsByAnchor } = context.notes
  if (place?.parent === undefined || lastAnchor === place.anchor) return
  const from = promptsByAnchor.get(place.anchor)
  if (from === undefined || from === place.firstPrompt) return
  abandonBranch(line, { from, ancestors: ancestorsUpToAnchor(place, context) }, context)
  context.remember({ lastAnchor: place.anchor, lastLine: place.parent })
}

function abandonBranch(
  line: Line,
  { from, ancestors }: { readonly from: string; readonly ancestors: ReadonlySet<string> },
  context: ClaudeContext,
): void {
  const { lastLine, promptsByAnchor } = context.notes
  const blocks = context.blocksOf(MAIN)
  const at = blocks.findLastIndex(({ id }) => id === from)
  // The mark of an earlier rewind belongs to the prompt after it.
  const start = blocks[at - 1]?.id === markId(from) ? at - 1 : at
  const blockIds = start < 0 ? [] : blocks.slice(start).flatMap(({ id }) => (ancestors.has(id) ? [] : [id]))
  const abandoned = new Set([from, ...blockIds])
  for (const blockId of blockIds) abandonUnstartedAgent(blockId, context)
  for (const [anchor, prompt] of promptsByAnchor.entries())
    if (abandoned.has(prompt)) context.removeEntry('promptsByAnchor', anchor)
  const branchId = markId(line.uuid ?? '')
  const data = { from: lastLine, to: asString(line.raw.parentUuid), blockIds }
  const message = 'The person rewound the conversation'
  // The mark comes first, so that a branch never names a block that is not there.
  upsertSystemBlock(line, { id: branchId, subtype: 'rewind', message, data }, context)
  context.emit({ type: 'branch:abandoned', branchId, blockIds })
}

function markId(uuid: string): string {
  return `rewind:${uuid}`
}

/** Returns the ancestors of a prompt between it and its anchor. */
function ancestorsUpToAnchor({ anchor, parent }: LinePlace, { notes }: ClaudeContext): ReadonlySet<string> {
  const ancestors = new Set<string>()
  for (let uuid = parent; uuid !== undefined && !ancestors.has(uuid); ) {
    const place = notes.places.get(uuid)
    if (place?.anchor !== anchor) break
    ancestors.add(uuid)
    uuid = place.parent
  }
  return ancestors
}
