import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createInitialConversationState } from '../../src/index.ts'
import { followSession, listSessions, readSession, type SessionSummary } from '../../src/node/index.ts'
import { foldSessionEvents } from '../../src/reducer/reduce.ts'
import { readTranscript } from '../../src/transcript.ts'
import { acpFiles } from '../../src/wires/acp/files.ts'
import { detectArchitecture } from '../../src/wires/detect.ts'
import { agentfold } from '../cli/terminal.ts'
import { factDifferences } from '../facts/check-facts.ts'
import type { FactAgent, FactItem, Facts } from '../facts/facts.ts'
import { inNewFolder } from '../node/follow/growing-session.ts'
import { FOLDER, logsOf } from './grok-recordings.ts'

const names = readdirSync(FOLDER).sort()

function factsOf(name: string): Facts {
  return JSON.parse(readFileSync(join(FOLDER, name, 'facts.json'), 'utf8'))
}

/** A copied agent has the prompt of its source, which the call does not state. A dropped text and its retry are one text. */
function asShown({ agents, todos, changes, ...facts }: Facts): Facts {
  const abandoned = facts.branches?.flat() ?? []
  const shown = agents
    .filter(({ key }) => key !== 'origin')
    .map(({ prompt, tokens, items, ...agent }): FactAgent => {
      // One report of tokens is about all responses of a turn.
      const { requests: _, ...others } = tokens
      const facts = {
        ...agent,
        tokens: others,
        items: joined(items.filter((item) => !('text' in item && abandoned.includes(item.text)))),
      }
      return prompt === undefined || 'copyOf' in agent ? facts : { ...facts, prompt }
    })
  return {
    ...facts,
    agents: shown,
    ...(todos && { todos: todos.map(({ text }) => ({ text, status: 'completed' })) }),
    ...(changes && { changes: changes.filter((change) => !('by' in change)) }),
  }
}

function joined(items: readonly FactItem[]): readonly FactItem[] {
  return items.flatMap((item, at) => {
    const next = items[at + 1]
    // A piece ends with the space after a word.
    if (item.type === 'cut' && next?.type === 'text') return [{ ...next, text: `${item.text} ${next.text}` }]
    if (item.type === 'cut') return [{ ...item, text: `${item.text} ` }]
    // The report of an agent comes after the result that only says its id.
    if (item.type === 'result' && item.contains === 'subagent_id') return [{ ...item, contains: '' }]
    return items[at - 1]?.type === 'cut' && item.type === 'text' ? [] : [item]
  })
}

/** A form may lack more than the facts tell. */
function lacking({ forms, ...facts }: Facts, form: string, words: readonly string[]): Facts {
  return { ...facts, forms: { ...forms, [form]: { lacks: [...(forms[form]?.lacks ?? []), ...words] } } }
}

/** Runs a test on a machine with the sessions of a recording. */
const onMachine = (name: string, run: (home: string) => Promise<void>): Promise<void> =>
  inNewFolder((home) => {
    cpSync(join(FOLDER, name, 'sessions'), join(home, '.grok/sessions'), { recursive: true })
    return run(home)
  })

async function list(home: string): Promise<readonly SessionSummary[]> {
  const found: SessionSummary[] = []
  for await (const each of listSessions({ home })) found.push(each)
  return found
}

describe.each(names)('%s', (name) => {
  it('has the facts of its files', () =>
    onMachine(name, async (home) => {
      const facts = asShown(lacking(factsOf(name), 'store', ['requests']))
      const sessions = await list(home)
      const { prompt } = facts.agents[0] ?? {}
      const session = sessions.at(name === '15c-fork' ? -1 : 0)
      expect(session).toMatchObject({ format: 'acp', program: 'grok', cwd: '/srv/demo', firstPrompt: prompt })
      const { state, issues } = await readSession(session?.path ?? '')
      expect(factDifferences(state, facts, { form: 'store' })).toEqual([])
      expect(state.session).toMatchObject({ program: 'grok', protocol: 'acp' })
      expect(issues.filter(({ code }) => code !== 'unfinished-subagent')).toEqual([])
    }))

  const logs = logsOf(name)
  it.runIf(logs.length > 0)('has the facts of its connection', () => {
    expect(logs.map((log) => detectArchitecture(log))).toEqual(logs.map(() => 'acp'))
    const { events, issues } = readTranscript('acp', logs.join(''))
    const { state } = foldSessionEvents(createInitialConversationState(), events)
    expect(factDifferences(state, asShown(factsOf(name)), { form: 'rpc' })).toEqual([])
    expect(state.session).toMatchObject({ program: 'grok', protocol: 'acp' })
    expect(issues.filter(({ code }) => code !== 'unfinished-subagent')).toEqual([])
  })
})

describe('the files of a session', () => {
  it('are listed without those of agents, and shown with them', () =>
    onMachine('08-nested', async (home) => {
      const { out } = await agentfold(['list'], { home })
      expect(
        out
          .trim()
          .split('\n')
          .map((line) => line.split('\t').slice(2, 4)),
      ).toEqual([['grok', '/srv/demo']])
      const [session] = await list(home)
      expect(session).toMatchObject({ id: '01a214ad-95ff-7d73-b330-4c06a9bf2c05', agents: 3 })
      expect(session?.updatedAt).toMatch(/^2026-11-25T21:47:3\d\.\d{3}Z$/)
      const shown = await agentfold(['show', session?.id ?? ''], { home })
      expect(shown.out).toContain('The soft house glows beside the door.')
    }))

  it('are found in a folder by the names of the agents, and with a path within the folder', () =>
    onMachine('08-nested', async (home) => {
      const { state } = await readSession(join(home, '.grok/sessions'))
      expect(state.subagents).toHaveLength(3)
      const paths = ['subagents/a/meta.json', 'updates.jsonl', '../a/updates.jsonl']
      const reader = { values: () => [], value: () => undefined }
      expect(acpFiles.transcripts(paths, reader, 'updates.jsonl')).toEqual([
        { path: 'updates.jsonl' },
        { id: 'a', path: '../a/updates.jsonl' },
      ])
      expect(() => acpFiles.transcripts([], reader)).toThrow('no session among the files')
      expect(() => acpFiles.transcripts(['a/updates.jsonl', 'b/updates.jsonl'], reader)).toThrow(
        'several sessions',
      )
    }))

  it('are followed while the program writes them', () =>
    onMachine('06-subagent', async (home) => {
      const [session] = await list(home)
      const path = session?.path ?? ''
      const lines = readFileSync(path, 'utf8').split('\n')
      const half = lines.findIndex((line) => line.includes('subagent_finished'))
      writeFileSync(path, `${lines.slice(0, half).join('\n')}\n`)
      const whole = await readSession(path)
      const abort = new AbortController()
      let text = ''
      for await (const { state } of followSession(path, { signal: abort.signal })) {
        text = JSON.stringify(state)
        if (state.turn.status === 'finished') abort.abort()
        else if (state.subagents[0]?.blocks.length) writeFileSync(path, lines.join('\n'))
      }
      expect(whole.state.turn.status).toBe('interrupted')
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify((await readSession(path)).state)))
    }))
})
