import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parseTranscript, type SessionConversationState } from '../../../src/entries/index.ts'
import { readSession } from '../../../src/entries/node.ts'
import { temporaryFolder } from '../../cli/temporary.ts'
import { depth } from '../../depth.ts'

const FIXTURES = join(import.meta.dirname, '../../../fixtures')
const BROKEN = '{bad'

const { inFolder } = temporaryFolder()

/** The prompts in the conversations of agents. */
function promptsOf({ subagents }: SessionConversationState): readonly unknown[] {
  return subagents.map(({ prompt, blocks }) => [
    prompt,
    blocks.flatMap((block) => (block.type === 'user_message' ? [block.content] : [])),
  ])
}

/** Returns the only file in the folder whose path has these words. */
function fileIn(folder: string, words: string): string {
  const [found = '', ...others] = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.includes(words) && /\.jsonl$/.test(path),
  )
  expect(others).toEqual([])
  return join(folder, found)
}

// The prompt stood in the call alone then, and the agent's conversation began with an answer. An agent's file of 2.0.77 was not found.
it.each([
  ['qwen/06-subagent/store', 'chats/56f4cc11', 'agent-general-purpose'],
  ['qwen/09-background/store', 'chats/2d813604', 'agent-general-purpose'],
  ['claude-code/04-subagent-forward/transcript', '5059a859-1ea6-49bb-829c-32e6263880b3.jsonl', 'agent-a379'],
  ['claude-code/06-nested-forward/transcript', '0a6eccd5-fb16-41c5-92bb-b1dd4b912bd8.jsonl', 'agent-ad36'],
  ['claude-code/08c-subagent-fails/transcript', '906f7a97-3d59-44e6-bf7c-a6dbc536bef3.jsonl', 'agent-ac74'],
  ['claude-code-2.0.77/04b-subagent-default/transcript', '54e3bbf4', 'agent-afdf391'],
  [
    'grok/06-subagent/sessions',
    '01a214ac-865d-7421-a48e-4c1235d6433f/updates',
    '89e4-7973-944f-721539fb6056/updates',
  ],
  ['pi/omp-06-subagent/store', '798Z_01a214bb-252e-724f-9eeb-ccd4ed1030bb.jsonl', 'Measurer'],
  ['kimi/06-subagent-0.43.1/store', 'agents/main/wire', 'agents/agent-0/wire'],
])('has the prompt of an agent once if a line of its file is broken: %s', async (fixture, main, agent) => {
  const folder = inFolder(fixture)
  cpSync(join(FIXTURES, fixture), folder, { recursive: true })
  const read = async () => promptsOf((await readSession(fileIn(folder, main))).state)
  const whole = await read()
  const path = fileIn(folder, agent)
  const lines = readFileSync(path, 'utf8').split('\n')
  for (const at of [...lines.keys()].slice(0, depth({ few: 3, all: 12 }))) {
    writeFileSync(path, lines.with(at, BROKEN).join('\n'))
    expect({ at, prompts: await read() }).toEqual({ at, prompts: whole })
    writeFileSync(path, lines.toSpliced(at, 0, BROKEN).join('\n'))
    expect({ at, prompts: await read() }).toEqual({ at, prompts: whole })
  }
})

it.each(['04-subagent', '05-two-parallel', '06-nested', '07-background'])(
  'has it too in a stream with the lines of all agents: %s',
  (name) => {
    const folder = join(FIXTURES, 'opencode', name)
    const stream =
      readdirSync(folder).find((file) => file.endsWith('.ndjson') && file.includes('events')) ?? ''
    const lines = readFileSync(join(folder, stream), 'utf8').split('\n')
    const whole = promptsOf(parseTranscript('opencode', lines.join('\n')))
    const prompts = whole.flatMap((each) => [each].flat(2)).map((text) => JSON.stringify(text).slice(1, -1))
    const places = [...lines.keys()].filter(
      (at) =>
        /"message\.part\.updated"/.test(lines[at] ?? '') &&
        /"type":"text"/.test(lines[at] ?? '') &&
        prompts.some((text) => lines[at]?.includes(text)),
    )
    expect(places.length).toBeGreaterThan(0)
    for (const at of places) {
      const state = parseTranscript('opencode', lines.with(at, BROKEN).join('\n'))
      expect({ at, prompts: promptsOf(state) }).toEqual({ at, prompts: whole })
    }
  },
)
