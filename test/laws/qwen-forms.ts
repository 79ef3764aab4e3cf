import { qwenTranscript } from '../../src/entries/qwen.ts'
import type { FactAgent, FactItem, Facts } from '../facts/facts.ts'
import { withJoinedTexts } from './kimi-forms.ts'
import type { Files, FormsOf } from './recordings.ts'

/** Returns the stream, both directions of the SDK, the terminal's file, the chat with its agents, and the connection of ACP. */
export const qwenForms: FormsOf = (files, all) => {
  const facts = { ...all, agents: all.agents.map(withJoinedTexts) }
  const streams = Object.keys(files).filter((path) => /^stream(?:-\d)?\.ndjson$/.test(path))
  const stream = streams.map((path) => files[path]).join('')
  const stored = chatOf(files, facts)
  return [
    ...live('stream', streams.length === 0 ? undefined : stream, facts),
    ...live('sdk', files['sdk.ndjson'], facts),
    ...live('tui', files['tui.ndjson'], withBranches(facts)),
    ...(stored ? [{ form: 'store', architecture: 'qwen' as const, raw: qwenTranscript(stored), facts }] : []),
    ...connections(files['acp.ndjson'] ?? '', facts),
  ]
}

function live(form: string, raw: string | undefined, facts: Facts) {
  return raw === undefined
    ? []
    : [{ form, architecture: 'qwen' as const, raw, facts: liveFacts(form, facts) }]
}

/** The streams count the tokens of thinking in the output alone. They have no diffs, so the lines that an overwritten file has lost are not known. */
function liveFacts(form: string, facts: Facts): Facts {
  const { lacks = [], lacksAgents = [], ...rest } = facts.forms[form] ?? {}
  const isSilent = ({ key }: FactAgent) => lacksAgents.includes(key)
  const isWithoutTexts = ({ parent }: FactAgent) => parent !== null && lacks.includes('child-texts')
  // The call of an agent's own agent is in the stream, and nothing else of it.
  const agents = facts.agents.map((agent) => {
    if (isSilent(agent)) return { ...agent, items: [], tokens: {} }
    return isWithoutTexts(agent)
      ? { ...agent, items: agent.items.filter(({ type }) => type !== 'cut') }
      : agent
  })
  const { changes, ...others } = facts
  const known = changes?.some(({ kind, removed }) => kind === 'edit' && removed > 0)
  return {
    ...others,
    ...(changes && !known && { changes }),
    agents,
    forms: { ...facts.forms, [form]: { ...rest, lacks: [...lacks, 'reasoning'] } },
  }
}

/** No line of the terminal's file says that the person has rewound, so what was taken back comes first. */
function withBranches({ branches = [], ...facts }: Facts): Facts {
  const taken = branches
    .flat()
    .map((text, at): FactItem => ({ type: at % 2 === 0 ? 'prompt' : 'text', text }))
  const { length } = taken
  const agents = facts.agents.map((agent) => {
    if (agent.parent !== null) return agent
    const items = agent.items.map((item) =>
      item.type === 'result' ? { ...item, call: item.call + length } : item,
    )
    return { ...agent, items: [...taken, ...items] }
  })
  return { ...facts, agents }
}

/** Returns the connection with the turns, and the one that loads the session again. */
function connections(log: string, facts: Facts) {
  const lines = log.split('\n').filter((line) => line !== '')
  const starts = lines.flatMap((line, at) => (JSON.parse(line).msg?.method === 'initialize' ? [at] : []))
  return starts.map((start, at) => {
    const own = lines.slice(start, starts[at + 1])
    const form = own.some((line) => JSON.parse(line).msg?.method === 'session/load') ? 'load' : 'acp'
    return { form, architecture: 'acp' as const, raw: own.join('\n'), facts: connectionFacts(form, facts) }
  })
}

/** The tokens of all replies of a turn stand together. Of an agent's own agent, there is the call alone. */
function connectionFacts(form: string, facts: Facts): Facts {
  const { lacksAgents = [], ...rest } = facts.forms[form] ?? {}
  const agents = facts.agents.map((agent) => {
    const { requests, ...tokens } = agent.tokens
    return lacksAgents.includes(agent.key) ? { ...agent, items: [], tokens: {} } : { ...agent, tokens }
  })
  return { ...facts, agents, forms: { ...facts.forms, [form]: rest } }
}

/** Returns the files of the session with all prompts of the facts: a fork leaves another one. */
function chatOf(files: Files, { agents }: Facts): Files | undefined {
  const stored = Object.entries(files).filter(([path]) => path.startsWith('store/'))
  const prompts = agents[0]?.items.flatMap((item) => (item.type === 'prompt' ? [item.text] : [])) ?? []
  const chats = stored.filter(([path]) => /\/chats\/[^/]+\.jsonl$/.test(path))
  const has = (text: string) => prompts.every((prompt) => text.includes(JSON.stringify(prompt).slice(1, -1)))
  const path = (chats.find(([, text]) => has(text)) ?? chats[0])?.[0]
  const id = path && /([^/]+)\.jsonl$/.exec(path)?.[1]
  if (path === undefined || id === undefined) return undefined
  return Object.fromEntries(stored.filter(([each]) => each === path || each.includes(`/subagents/${id}/`)))
}
