import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { decompress } from 'fzstd'
import { claudeTranscript } from '../../src/entries/claude.ts'
import type { Architecture } from '../../src/entries/index.ts'
import type { CombinedTranscript } from '../../src/entries/source-kit.ts'
import { combineFiles } from '../../src/reading/input/transcript-files.ts'
import { codexFiles } from '../../src/wires/codex/session-files.ts'
import type { FactAgent, FactItem, Facts } from '../facts/facts.ts'
import { clineForms } from './cline-forms.ts'
import { copilotForms } from './copilot-forms.ts'
import { geminiForms } from './gemini-forms.ts'
import { grokForms } from './grok-forms.ts'
import { kimiForms } from './kimi-forms.ts'
import { opencodeForms } from './opencode-forms.ts'
import { piForms } from './pi-forms.ts'
import { qwenForms } from './qwen-forms.ts'
import { STEP_WIRES, stepsForms } from './steps-forms.ts'

/** One form of a recorded session: a live stream or the stored files. */
export interface RecordedForm {
  readonly recording: string
  /** The name of the form in the facts. */
  readonly form: string
  readonly architecture: Architecture
  readonly facts: Facts
  readonly raw: string | CombinedTranscript
}

/** The files of a recording, by their path in its folder. */
export type Files = Readonly<Record<string, string>>

/** Returns the forms of a recording that the library reads. */
export type FormsOf = (
  files: Files,
  facts: Facts,
) => readonly (Omit<RecordedForm, 'recording' | 'facts'> & Partial<Pick<RecordedForm, 'facts'>>)[]

/** The programs whose recordings can be checked, by the beginning of `facts.program`. */
const PROGRAMS: Readonly<Record<string, FormsOf>> = {
  'claude-code': (files, facts) => [
    ...stored('claude-sdk', () => claudeTranscript(sessionFiles(files, facts))),
    ...live('claude-sdk', 'stream', files['stream.ndjson']),
  ],
  codex: (files, facts) => [
    ...stored('codex', () => codexSession(within(files, 'store/'), facts)),
    ...live('codex', 'stream', files['stream.ndjson']),
    ...live('codex', 'rpc', files['rpc.ndjson']).map((form) => ({
      ...form,
      facts: firstSession(form.raw, facts),
    })),
  ],
  opencode: opencodeForms,
  kilo: opencodeForms,
  pi: piForms,
  'GitHub Copilot': copilotForms,
  Gemini: geminiForms,
  kimi: kimiForms,
  grok: grokForms,
  qwen: qwenForms,
  cline: clineForms,
  ...Object.fromEntries(STEP_WIRES.map((name) => [name, stepsForms])),
}

/** Returns the forms of all recordings in a folder and its subfolders. A folder with `facts.json` is a recording. */
export function* recordedForms(root: string, folder = root): Generator<RecordedForm, void> {
  const path = join(folder, 'facts.json')
  if (!existsSync(path)) {
    for (const entry of readdirSync(folder, { withFileTypes: true }))
      if (entry.isDirectory()) yield* recordedForms(root, join(folder, entry.name))
    return
  }
  const all: Facts = JSON.parse(readFileSync(path, 'utf8'))
  const program = Object.keys(PROGRAMS).find((name) => all.program.startsWith(name))
  const files = filesIn(folder)
  const forms = (facts: Facts) => PROGRAMS[program ?? '']?.(files, facts) ?? []
  const sessions = sessionsOf(all)
  for (const [at, facts] of sessions.entries())
    for (const form of forms(facts)) {
      // One stream of Claude Code goes on with the next session.
      const isStream = program === 'claude-code' && form.form === 'stream'
      if (isStream && at > 0) continue
      yield {
        recording: relative(root, folder),
        facts: isStream ? oneSession(facts, sessions) : facts,
        ...form,
      }
    }
}

/** Returns the facts of each session: main with its agents. */
function sessionsOf(facts: Facts): readonly Facts[] {
  const { agents } = facts
  const mains = agents.filter(({ parent }) => parent === null)
  const below = (keys: readonly string[]): readonly string[] => {
    const children = agents
      .filter(({ parent }) => parent !== null && keys.includes(parent))
      .map(({ key }) => key)
    return children.length === 0 ? keys : [...keys, ...below(children)]
  }
  return mains.map(({ key, items }) => {
    const keys = below([key])
    const own = agents.filter((agent) => keys.includes(agent.key))
    return { ...facts, agents: [...own, ...copiedAgents(key, items, agents)] }
  })
}

/** Returns the agents that a forked session has from the one that it copies. */
function copiedAgents(
  parent: string,
  items: readonly FactItem[],
  agents: readonly FactAgent[],
): readonly FactAgent[] {
  const named = new Set(items.flatMap((item) => (item.type === 'agent' ? [item.key] : [])))
  return agents
    .filter((agent) => named.has(agent.key) && agent.parent !== parent)
    .map((agent) => ({ ...agent, parent }))
}

/** Returns the facts of several sessions as those of the first one, which the others follow. */
function oneSession(first: Facts, sessions: readonly Facts[]): Facts {
  const [main, ...others] = sessions.flatMap(({ agents }) => agents.filter(({ parent }) => parent === null))
  if (!main) return first
  const items = [...main.items]
  const tokens = { ...main.tokens }
  for (const other of others) {
    const { length } = items
    items.push(
      ...other.items.map((item) => (item.type === 'result' ? { ...item, call: item.call + length } : item)),
    )
    for (const [name, count] of Object.entries(other.tokens))
      tokens[name] = Number(tokens[name] ?? 0) + Number(count)
  }
  const joined = { ...main, items, tokens }
  return { ...first, agents: [joined, ...first.agents.filter((agent) => agent !== main)] }
}

function stored(architecture: Architecture, read: () => CombinedTranscript) {
  try {
    return [{ form: 'store', architecture, raw: read() }]
  } catch (error) {
    return [{ form: 'store', architecture, raw: JSON.stringify({ type: String(error) }) }]
  }
}

function live(architecture: Architecture, form: string, raw: string | undefined) {
  return raw === undefined ? [] : [{ form, architecture, raw }]
}

/** Returns the files of main's session, and those of its agents. Up to 2.1.34, agents' files stand beside it. */
function sessionFiles(files: Files, { agents }: Facts): Files {
  const [{ session = '?' } = {}] = agents
  const own = Object.entries(within(files, 'store/projects/')).filter(
    ([path]) => session === '?' || path.includes(session) || path.includes('/agent-'),
  )
  return Object.fromEntries(own)
}

/** Returns the facts of the first of several sessions on one connection. */
function firstSession(raw: string, facts: Facts): Facts {
  const all = [facts, ...(facts.sessions ?? []).map(({ agents = [] }) => ({ ...facts, agents }))]
  const placeOf = ({ agents }: Facts) => {
    const prompt = agents[0]?.items.find((item) => item.type === 'prompt')
    const place = prompt?.type === 'prompt' ? raw.indexOf(JSON.stringify(prompt.text)) : -1
    return place < 0 ? Number.POSITIVE_INFINITY : place
  }
  return all.reduce((first, each) => (placeOf(each) < placeOf(first) ? each : first))
}

/** Returns the session of a folder with several that has all prompts of the facts, in the last of its own files. */
function codexSession(files: Files, { agents, sessions = [] }: Facts): CombinedTranscript {
  const prompts = (facts: Partial<Pick<Facts, 'agents'>>) =>
    facts.agents?.[0]?.items.flatMap((item) => (item.type === 'prompt' ? [JSON.stringify(item.text)] : [])) ??
    []
  const rollouts = Object.keys(files).filter((path) => /rollout-/.test(path))
  if (sessions.length === 0) return combineFiles(files, (_, reader) => codexFiles(rollouts, reader))
  const has = (texts: readonly string[]) => (path: string) => {
    const { main } = combineFiles(files, (_, reader) => codexFiles(rollouts, reader, path))
    return texts.every((text) => main.includes(text))
  }
  const others = sessions.flatMap((session) => rollouts.filter(has(prompts(session))))
  const path = rollouts.find((each) => has(prompts({ agents }))(each) && !others.includes(each))
  return combineFiles(files, (_, reader) => codexFiles(rollouts, reader, path))
}

function within(files: Files, folder: string): Files {
  return Object.fromEntries(Object.entries(files).filter(([path]) => path.startsWith(folder)))
}

function filesIn(folder: string): Files {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
  const files = paths.filter(
    (entry) => entry.isFile() && /\.(ndjson|jsonl|json|zst|stream|md)$/.test(entry.name),
  )
  return Object.fromEntries(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name)
      return [relative(folder, path), textOf(path)]
    }),
  )
}

function textOf(path: string): string {
  const bytes = readFileSync(path)
  return new TextDecoder().decode(path.endsWith('.zst') ? decompress(bytes) : bytes)
}
