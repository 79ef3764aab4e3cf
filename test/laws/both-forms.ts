import { isDeepStrictEqual } from 'node:util'
import { asArray, isString } from '../../src/core/json/values.ts'
import type { ConversationBlock } from '../../src/core/state/block.ts'
import { MAIN } from '../../src/core/state/session.ts'
import { type Architecture, createReader, type SessionConversationState } from '../../src/entries/index.ts'
import type { CombinedTranscript } from '../../src/entries/source-kit.ts'
import { loadedSourceOf } from '../../src/wires/sources.ts'
import { messagesOf } from '../wires/messages-in.ts'
import type { RecordedForm } from './recordings.ts'

/** A recorded session that has a stream and files. */
export interface BothForms {
  readonly name: string
  readonly architecture: Architecture
  readonly live: string | CombinedTranscript
  readonly stored: string | CombinedTranscript
}

/** The files of a live form. Each run of a program stores a session of its own. */
const STORES: Readonly<Record<string, readonly string[]>> = {
  rpc: ['rpc-store', 'store'],
  acp: ['acp-store', 'store'],
  tui: ['store', 'tui-store'],
}

/** Returns each stream with the files of the same session that the same wire reads. */
export function sessionsWithBothForms(forms: readonly RecordedForm[]): readonly BothForms[] {
  return forms.flatMap((live) => {
    if (/store$/.test(live.form)) return []
    const { recording, architecture } = live
    const own = forms.filter((each) => each.recording === recording && each.architecture === architecture)
    const [stores = []] = (STORES[live.form] ?? ['store'])
      .map((name) => own.filter(({ form }) => form === name))
      .filter((found) => found.length > 0)
    const stored = stores.find(({ facts }) => isDeepStrictEqual(facts, live.facts)) ?? stores[0]
    const name = `${recording}, ${stored?.form} and ${live.form}`
    return stored ? [{ name, architecture, live: live.raw, stored: stored.raw }] : []
  })
}

/** The texts, prompts, calls, results and agents of each conversation, in order. An agent has its own id, if it has one. */
export type Shown = ReadonlyMap<string, readonly string[]>

function shownOf({ blocks, subagents }: SessionConversationState): Shown {
  const keys = new Map(subagents.map(({ toolUseId, agentId = toolUseId }) => [toolUseId, agentId]))
  const threads = [
    { key: MAIN, blocks },
    ...subagents.map((agent) => ({ key: keys.get(agent.toolUseId) ?? '', blocks: agent.blocks })),
  ]
  return new Map(
    threads.map(({ key, blocks }) => [key, blocks.flatMap((block) => itemOf(block, keys) ?? [])]),
  )
}

function itemOf(block: ConversationBlock, keys: ReadonlyMap<string, string>): string | undefined {
  switch (block.type) {
    case 'user_message':
    case 'assistant_text':
    case 'thinking':
      return block.content === '' ? undefined : JSON.stringify([block.type, block.content])
    case 'subagent':
      return JSON.stringify([block.type, keys.get(block.toolUseId)])
    case 'tool_use':
    case 'tool_result':
      return JSON.stringify([block.type, block.id])
    default:
      return undefined
  }
}

/**
 * Returns where a session that has read both forms breaks the law: the list of the files is there, in its order, and
 * nothing is there twice. A result may have any place. What only the stream has is there once.
 */
function listFaults(joined: Shown, file: Shown, stream: Shown): readonly string[] {
  const ofThreads = [...file].flatMap(([key, items]) => {
    const own = joined.get(key) ?? []
    const live = stream.get(key) ?? []
    const [now, wanted, streamed] = [countsOf(own), countsOf(items), countsOf(live)]
    const lost = [...wanted].filter(([item, count]) => (now.get(item) ?? 0) < count)
    const twice = [...now].filter(([item, count]) => {
      const most = Math.max(wanted.get(item) ?? 0, streamed.get(item) ?? 0)
      return count > most && !(count === 1 && live.some((whole) => isPartOf(item, whole)))
    })
    const faults = [...lost.map(([item]) => `lost: ${item}`), ...twice.map(([item]) => `twice: ${item}`)]
    const ordered = (list: readonly string[]) => list.filter((item) => wanted.has(item) && !isResult(item))
    if (faults.length === 0 && !isDeepStrictEqual(ordered(own), ordered(items))) faults.push('another order')
    return faults.map((fault) => `${key}: ${fault}`)
  })
  const added = [...joined.keys()].filter((key) => !file.has(key) && !stream.has(key))
  return [...ofThreads, ...added.map((key) => `${key}: a new agent`)]
}

function countsOf(items: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1)
  return counts
}

const isResult = (item: string): boolean => item.startsWith('["tool_result"')

/** A session that begins or ends in the middle of a text has a part of it, which the file may lack. */
function isPartOf(item: string, whole: string): boolean {
  const [type, part] = asArray(JSON.parse(item))
  const [wholeType, text] = asArray(JSON.parse(whole))
  return type === wholeType && isString(part) && isString(text) && text.includes(part)
}

/** The order in which a reader gets both forms. */
export type FormsOrder =
  | 'the files, then the stream'
  | 'the stream, then the files'
  | 'the files, after the whole stream'

/** Returns where a session breaks the law that reads both forms in this order, with the stream cut at some messages. */
export function bothFormsFaults(pair: BothForms, order: FormsOrder, count: number): readonly string[] {
  const source = loadedSourceOf(pair.architecture)
  const live = messagesOf(pair.architecture, pair.live)
  const stored = messagesOf(pair.architecture, pair.stored)
  const stateOf = (messages: readonly unknown[]) => source.read(source.open(), messages).session.state
  const ended = source.end(source.read(source.open(), stored).session).session
  const [file, stream] = [shownOf(ended.state), shownOf(stateOf(live))]
  const filesFirst = (cut: number): readonly SessionConversationState[] =>
    [source.read(source.open(), stored).session, ended, source.open(ended.state)].map(
      (session) => source.end(source.read(session, live.slice(cut)).session).session.state,
    )
  const streamFirst = (cut: number): readonly SessionConversationState[] => {
    const reader = createReader(source)
    for (const message of live.slice(0, cut)) reader.push(message)
    const { stored } = pair
    reader.push(isString(stored) ? { main: stored, subagents: [] } : stored)
    reader.end()
    const now = reader.state
    for (const message of live.slice(cut)) reader.push(message)
    reader.end()
    return [now, reader.state]
  }
  const cuts = order === 'the files, after the whole stream' ? [live.length] : cutsOf(live.length, count)
  return cuts.flatMap((cut) => {
    const states = order === 'the files, then the stream' ? filesFirst(cut) : streamFirst(cut)
    return states.flatMap((state, way) =>
      listFaults(shownOf(state), file, stream).map((fault) => `cut ${cut}, way ${way}: ${fault}`),
    )
  })
}

/** Returns the agents whose output differs between both forms. Some streams lack outputs. */
export function outputFaults(
  { architecture, live, stored }: BothForms,
  lacksOutputs: boolean,
): readonly string[] {
  const source = loadedSourceOf(architecture)
  const outputsOf = (raw: BothForms['live']) => {
    const { session } = source.end(source.read(source.open(), messagesOf(architecture, raw)).session)
    const named = session.state.subagents.map(
      ({ agentId, toolUseId, output }) => [agentId ?? toolUseId, output] as const,
    )
    return new Map(named)
  }
  const file = outputsOf(stored)
  return [...outputsOf(live)].flatMap(([key, output]) => {
    const isOne = !file.has(key) || file.get(key) === output || (lacksOutputs && output === undefined)
    return isOne ? [] : [`${key}: ${output} is not ${file.get(key)}`]
  })
}

/** Returns the first and the last place, and those between them. A single one is in the middle. */
function cutsOf(length: number, count: number): readonly number[] {
  if (count === 1) return [length >> 1]
  return [...new Set(Array.from({ length: count }, (_, at) => Math.round((at * length) / (count - 1))))]
}
