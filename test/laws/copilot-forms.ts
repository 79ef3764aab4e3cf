import {
  asArray,
  asObject,
  isObject,
  isString,
  type JsonObject,
  parseJson,
} from '../../src/core/json/values.ts'
import { readEvent } from '../../src/wires/copilot/messages.ts'
import type { FactAgent, FactItem, Facts } from '../facts/facts.ts'
import { acpFacts } from './copilot-acp.ts'
import type { Files, FormsOf } from './recordings.ts'

/** Returns the streams, the logs of the SDK's connection, and the files of Copilot's sessions. */
export const copilotForms: FormsOf = (files, facts) => {
  const streams = Object.keys(files)
    .filter((path) => /^stream(?:-\d)?\.ndjson$/.test(path))
    .sort()
  const forms = [
    ['stream', streams.map((path) => files[path]).join('')],
    ['rpc', files['rpc.ndjson']],
    ...['store', 'rpc-store', 'acp-store'].map((form) => [form, storedSession(files, form, facts)] as const),
  ] as const
  const own = forms.flatMap(([form, raw]) =>
    raw
      ? [{ form, architecture: 'copilot' as const, raw, facts: factsOf(withForm(facts, form, files), raw) }]
      : [],
  )
  const acp = files['acp.ndjson']
  const shown = acp ? factsOf(facts, acp) : facts
  return acp
    ? [...own, { form: 'acp', architecture: 'acp' as const, raw: acp, facts: acpFacts(shown, acp) }]
    : own
}

/** A stream has the beginning of a text that was cut, although the facts of 1.0.42 say that it does not. */
function withForm(facts: Facts, form: string, files: Files): Facts {
  const { lacks = [] } = facts.forms[form] ?? {}
  const own = { lacks: form === 'stream' ? lacks.filter((word) => word !== 'cuts') : lacks }
  // This provider counts the cached tokens in the input.
  const inputIncludesCached = files['server.ndjson']?.includes('"api":"chat"') === true
  const agents = facts.agents.map((agent) => ({ ...agent, tokens: { ...agent.tokens, inputIncludesCached } }))
  return { ...facts, agents, forms: { ...facts.forms, [form]: own } }
}

/** Returns the file of the session with all prompts of the facts. A fork has more than its base. */
function storedSession(files: Files, folder: string, { agents }: Facts): string | undefined {
  const prompts = agents[0]?.items.flatMap((item) =>
    item.type === 'prompt' ? [JSON.stringify(item.text)] : [],
  )
  return Object.entries(files)
    .filter(([path]) => path.startsWith(`${folder}/`) && path.endsWith('/events.jsonl'))
    .map(([, text]) => text)
    .find((text) => prompts?.every((prompt) => text.includes(`"content":${prompt}`)))
}

/** Each form is of a run of its own, so the ids that the program makes differ. */
function factsOf(facts: Facts, raw: string): Facts {
  const events = raw.split('\n').flatMap((line) => {
    const value = parseJson(line)
    return (isObject(value) && readEvent(value)) || []
  })
  const own = events.filter(
    ({ type, data }) => type === 'assistant.message' && data.interactionId === undefined,
  )
  const synthetic = own.flatMap(({ data }) => asArray(data.toolRequests).map(asObject))
  const agentIds = new Set([
    ...events.flatMap(({ type, agentId }) => (type === 'subagent.started' ? (agentId ?? []) : [])),
    ...Array.from(raw.matchAll(/agent_id: ([0-9a-f-]{36})/g), ([, id = '']) => id),
  ])
  const agents = facts.agents.map((agent) => ({
    ...agent,
    items: agent.items.map((item, at) => ownItem(item, agent, at, synthetic, [...agentIds])),
  }))
  const todos = facts.todos?.map(({ text, status }) => ({
    text,
    status: status === 'done' ? 'completed' : status,
  }))
  return { ...facts, agents, ...(todos && { todos }) }
}

function ownItem(
  item: FactItem,
  { items }: FactAgent,
  at: number,
  synthetic: readonly JsonObject[],
  agentIds: readonly string[],
): FactItem {
  // The program asks the model again after a text that was cut, and what has streamed is void.
  if (item.type === 'cut')
    return items[at + 1] && items[at + 1]?.type !== 'prompt' ? { ...item, dropped: true } : item
  if (item.type !== 'call') return item
  const input = asObject(item.input)
  const isForeign = isString(input.agent_id) && !agentIds.includes(input.agent_id)
  const named = isForeign ? { ...item, input: { ...input, agent_id: agentIds[0] } } : item
  const earlier = items.slice(0, at).filter((each) => each.type === 'call' && each.id === undefined).length
  const id = item.id ?? synthetic[earlier]?.toolCallId
  return isString(id) ? { ...named, id } : named
}
