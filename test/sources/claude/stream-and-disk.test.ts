import { describe, expect, it } from 'vitest'
import {
  type ConversationBlock,
  findSubagent,
  type SessionConversationState,
  type SubagentState,
} from '../../../src/index.ts'
import { isObject } from '../../../src/state/json.ts'
import { ofType, type Recording, recordings, replay, textsOf } from '../recordings.ts'

interface Conversation {
  readonly stream: readonly ConversationBlock[]
  readonly disk: readonly ConversationBlock[]
}

describe.each(recordings)('$name', (recording) => {
  const stream = replay(recording.stream).state
  const disk = replay(recording.disk).state
  const conversations = conversationsOf(recording, { stream, disk })

  it('has the same conversations, in the order of their start', () => {
    const idsOf = (state: SessionConversationState) => state.subagents.map(({ toolUseId }) => toolUseId)
    expect(idsOf(stream)).toEqual(idsOf(disk))
  })

  it('knows the same of every subagent', () => {
    expect(stream.subagents.map(factsOf)).toEqual(disk.subagents.map(factsOf))
    for (const { toolUseId, runId } of disk.subagents)
      if (runId !== undefined) expect(findSubagent(stream, toolUseId)?.runId).toBe(runId)
  })

  it('has the same blocks in every conversation', () => {
    for (const { stream, disk } of conversations) expect(byId(stream, disk)).toEqual(byId(disk, stream))
  })

  // A tool may answer while its message is still being written: the stream then tells the next block of the message
  // first, the files the result. So results are in order among themselves, and so is everything else.
  it('has them in the same order', () => {
    for (const { stream, disk } of conversations) {
      expect(stream.filter(isResult).map(idOf)).toEqual(disk.filter(isResult).map(idOf))
      expect(stream.filter(isNoResult).map(idOf)).toEqual(disk.filter(isNoResult).map(idOf))
    }
  })

  it('loses no text, no tool input and no tool output of main', () => {
    expect(textsOf({ blocks: finished(stream.blocks), usage: [] })).toEqual(textsOf(disk))
    expect(ofType(stream, 'tool_use').map(callOf)).toEqual(ofType(disk, 'tool_use').map(callOf))
    expect(ofType(stream, 'tool_result').map(({ output }) => output)).toEqual(
      ofType(disk, 'tool_result').map(({ output }) => output),
    )
  })

  it('agrees on the tokens of every message that both know to the end', () => {
    expect(finalUsage(stream, disk)).toEqual(finalUsage(disk, stream))
  })

  it('agrees on what both know of the session', () => {
    for (const [fact, known] of Object.entries(stream.session))
      if (fact in disk.session) expect(Reflect.get(disk.session, fact)).toEqual(known)
    expect(Object.keys(disk.session)).toEqual(expect.arrayContaining(['id', 'cwd', 'program', 'version']))
  })
})

function conversationsOf(
  recording: Recording,
  { stream, disk }: { readonly stream: SessionConversationState; readonly disk: SessionConversationState },
): readonly Conversation[] {
  const background = backgroundAgents(recording)
  const main = { stream: mainBlocks(recording, stream), disk: mainBlocks(recording, disk) }
  const subagents = stream.subagents.map((subagent) => {
    const stored = disk.subagents.find(({ toolUseId }) => toolUseId === subagent.toolUseId)
    const place = { recording, isBackground: background.has(subagent.agentId ?? '') }
    return {
      stream: subagentBlocks(subagent.blocks, place),
      disk: subagentBlocks(stored?.blocks ?? [], place),
    }
  })
  return [main, ...subagents]
}

/** FORMATS.md, section 1: the person's prompts, notifications and notes of the program are on disk alone. */
function mainBlocks(
  { isReplaying }: Recording,
  { blocks }: SessionConversationState,
): readonly ConversationBlock[] {
  return finished(blocks).filter(
    (block) =>
      !isProgramMade(block) && (isReplaying || block.type !== 'user_message' || block.origin !== undefined),
  )
}

/** The prompt of a background agent is on disk alone; so are text and thinking where they are not forwarded. */
function subagentBlocks(
  blocks: readonly ConversationBlock[],
  { recording, isBackground }: { readonly recording: Recording; readonly isBackground: boolean },
): readonly ConversationBlock[] {
  const carried = finished(blocks).filter(
    (block) => !isProgramMade(block) && !(isBackground && block.type === 'user_message'),
  )
  if (recording.isForwarding || isBackground) return carried
  return carried
    .filter((block) => block.type !== 'assistant_text' && block.type !== 'thinking')
    .map((block) => (block.type === 'tool_use' ? { ...block, id: block.toolUseId } : block))
}

/** Hooks are told in other messages and places; the rest of these kinds is written for the model alone. */
function isProgramMade(block: ConversationBlock): boolean {
  if (block.type === 'system') return block.subtype === 'hook'
  if (block.type !== 'user_message') return false
  return block.origin === 'meta' || block.origin === 'notification' || block.origin === 'command'
}

/** A block that was being streamed when the program was killed never came to the disk. */
function finished(blocks: readonly ConversationBlock[]): readonly ConversationBlock[] {
  return blocks.filter((block) => block.status !== 'pending')
}

/** `agent-….meta.json` says which agents ran in the background. */
function backgroundAgents({ disk }: Recording): ReadonlySet<string> {
  const inBackground = disk.subagents.filter(({ meta }) => {
    const facts: unknown = JSON.parse(meta ?? 'null')
    return isObject(facts) && facts.requestShape === 'background'
  })
  return new Set(inBackground.map(({ id }) => id))
}

/** The blocks by id; a time counts only where the other side has one too. */
function byId(
  blocks: readonly ConversationBlock[],
  others: readonly ConversationBlock[],
): ReadonlyMap<string, object> {
  const timed = new Set(others.flatMap(({ id, timestamp }) => (timestamp === undefined ? [] : [id])))
  return new Map(
    blocks.map((block) => {
      const { timestamp, ...said } = block
      return [block.id, timed.has(block.id) ? block : said]
    }),
  )
}

/** The run is named everywhere in the stream, and on disk only where it was in the background. */
function factsOf({ blocks, usage, runId, ...facts }: SubagentState): object {
  return facts
}

function callOf({
  toolUseId,
  toolName,
  input,
}: {
  toolUseId: string
  toolName: string
  input: unknown
}): object {
  return { toolUseId, toolName, input }
}

function finalUsage(state: SessionConversationState, other: SessionConversationState): readonly unknown[] {
  const finalIn = (of: SessionConversationState) =>
    [of, ...of.subagents].flatMap(({ usage }, at) =>
      usage.filter(({ final }) => final).map((entry) => ({ at, entry })),
    )
  const keys = new Set(finalIn(other).map(({ at, entry }) => `${at} ${entry.messageId}`))
  return finalIn(state).filter(({ at, entry }) => keys.has(`${at} ${entry.messageId}`))
}

const idOf = ({ id }: ConversationBlock) => id
const isResult = ({ type }: ConversationBlock) => type === 'tool_result'
const isNoResult = (block: ConversationBlock) => !isResult(block)
