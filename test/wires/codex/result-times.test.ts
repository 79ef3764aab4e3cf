import { describe, expect, it } from 'vitest'
import { parseTranscript } from '../../../src/entries/index.ts'
import { codexSource } from '../../../src/wires/codex/source.ts'
import { messagesOf } from '../messages-in.ts'
import { recordings } from './recordings.ts'

describe.each(recordings)('Codex, $name', ({ app }) => {
  it('has the time of each result in a rollout', () => {
    const { blocks, subagents } = parseTranscript('codex', app.disk)
    const all = [{ blocks }, ...subagents].flatMap((thread) => thread.blocks)
    // The program does not say when a person refused a call.
    const untimed = all.filter(
      (block) => block.type === 'tool_result' && !block.isError && block.timestamp === undefined,
    )
    expect(untimed).toEqual([])
  })
})

it('has no time of a refused call, if a restart comes between the live call and its entry in the file', () => {
  const { app } = recordings.find(({ name }) => name === '15-approval') ?? {}
  const [live = [], file = []] = [app?.live, app?.disk].map((raw) => messagesOf('codex', raw ?? ''))
  const refusal = live.findIndex((message) => JSON.stringify(message).includes('"decline"'))
  const { state } = codexSource.read(codexSource.open(), live.slice(0, refusal)).session
  const [asked] = state.blocks.filter(({ type, status }) => type === 'tool_use' && status === 'pending')
  expect(asked).toHaveProperty('timestamp')
  const entry = file.findIndex((message) => JSON.stringify(message).includes(asked?.id ?? ''))
  const rest = codexSource.read(codexSource.open(state), file.slice(entry))
  const { blocks } = rest.session.state
  const refused = blocks.find(({ id }) => id === asked?.id)
  expect(refused).toMatchObject({ status: 'error' })
  expect(refused).not.toHaveProperty('timestamp')
})

it('has the words of the program for a refused call of a file, and those of agentfold for a live one', () => {
  const { app } = recordings.find(({ name }) => name === '15-approval') ?? {}
  const [live = [], stored = []] = [app?.live, app?.disk].map((raw) => messagesOf('codex', raw ?? ''))
  const outputs = (messages: readonly unknown[]) =>
    codexSource
      .read(codexSource.open(), messages)
      .session.state.blocks.flatMap((block) =>
        block.type === 'tool_result' && block.isError ? [block.output] : [],
      )
  expect(outputs(stored)).toEqual([
    'exec_command failed: CreateProcess { message: "Rejected(\\"rejected by user\\")" }',
    'patch rejected by user',
  ])
  expect(outputs(live)).toEqual(['rejected by user', 'rejected by user'])
  expect(outputs([...stored, ...live])).toEqual(outputs(stored))
})
