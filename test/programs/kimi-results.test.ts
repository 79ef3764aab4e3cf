import { describe, expect, it } from 'vitest'
import {
  contentParts,
  exitCodeIn,
  fileChange,
  kimiReader,
  readAgentReport,
  readSwarm,
  splitContext,
  swarmPrompt,
  textRead,
} from '../../src/programs/kimi/results.ts'

describe('parts of a message of Kimi Code', () => {
  it('are texts and images, by their data or by their address', () => {
    const image = (url: string) => ({ type: 'image_url', imageUrl: { url } })
    const parts = [
      { type: 'text', text: 'Look.' },
      image('data:image/png;base64,AA=='),
      image('https://x.test/a'),
    ]
    expect(contentParts([...parts, { type: 'image_url' }, { type: 'video' }, 7])).toEqual([
      { type: 'text', text: 'Look.' },
      { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'AA==' } },
      { type: 'image', source: { type: 'url', url: 'https://x.test/a' } },
    ])
    expect(contentParts('Hi.')).toEqual([{ type: 'text', text: 'Hi.' }])
  })

  it('have the state of the repository apart from the prompt', () => {
    const context = '<git-context>\nmain\n</git-context>'
    const [before, parts] = splitContext(contentParts(`${context}\n\nLook.`))
    expect([before, parts]).toEqual([context, contentParts('Look.')])
    expect(splitContext(contentParts(context))).toEqual([undefined, contentParts(context)])
  })
})

describe('a change to a file by Kimi Code', () => {
  const write = { toolName: 'Write', path: '/a', input: { content: 'one\ntwo\n' }, isNew: false } as const
  const lines = (call: Partial<Parameters<typeof fileChange>[0]>) => {
    const { kind, added, removed } = fileChange({ ...write, output: 'Wrote 8 bytes', ...call }) ?? {}
    return [kind, added, removed]
  }

  it('has the lines of a new file', () => {
    expect(lines({ isNew: true })).toEqual(['add', 2, 0])
  })

  it('compares an overwritten file with what the session has shown', () => {
    expect(lines({ before: 'one\nold\n' })).toEqual(['edit', 1, 1])
  })

  it('has only new lines if nothing shows what an overwritten file held', () => {
    expect(lines({})).toEqual(['edit', 2, 0])
    expect(lines({ input: {} })).toEqual(['edit', 0, 0])
  })

  it('adds lines at the end of a file', () => {
    const input = { content: 'three\n', mode: 'append' }
    expect(lines({ input, before: 'one\n' })).toEqual(['edit', 1, 0])
  })

  it('counts each place where a text was replaced', () => {
    const edit = { toolName: 'Edit', input: { old_string: 'a', new_string: 'b\nc' } } as const
    expect(lines({ ...edit, output: 'Replaced 2 occurrences' })).toEqual(['edit', 4, 2])
    expect(lines({ ...edit, input: {}, output: 'Replaced 1 occurrence' })).toEqual(['edit', 0, 0])
  })

  it('is none if the output reports none', () => {
    expect(lines({ output: 'old_string not found' })).toEqual([undefined, undefined, undefined])
  })
})

it('knows the text of a file that Kimi Code has read as a whole', () => {
  expect(textRead({ path: '/a' }, '1\tone\n2\ttwo')).toBe('one\ntwo')
  expect(textRead({ path: '/a', line_offset: 2 }, '2\ttwo')).toBeUndefined()
  expect(textRead({ path: '/a' }, 'no such file')).toBeUndefined()
})

it('reads the exit code at the end of an output', () => {
  expect(exitCodeIn('x\nCommand failed with exit code: 3.')).toBe(3)
  expect(exitCodeIn('Command failed with exit code: 3.\nand more')).toBeUndefined()
})

describe('reports of agents of Kimi Code', () => {
  it('have the words of the agent, or the reason of its failure', () => {
    const head = 'agent_id: agent-0\nactual_subagent_type: coder\nstatus: '
    const completed = readAgentReport(`${head}completed\n\n[summary]\nDone.\n\nresume_hint: x`)
    expect(completed).toMatchObject({ agentId: 'agent-0', isError: false, report: 'Done.' })
    const stopped = 'The subagent was stopped before it finished. Reason: timeout'
    const failed = readAgentReport(`${head}failed\n\nsubagent error: ${stopped}`)
    expect(failed).toMatchObject({ isError: true, report: 'timeout' })
    expect(readAgentReport('no such type')).toMatchObject({ isError: true, report: 'no such type' })
    expect(readAgentReport(`${head}running`)).toMatchObject({ isError: false, isLaunch: true })
  })

  it('are parts of the result of a call that starts several', () => {
    const output =
      '<subagent agent_id="a" item="one" outcome="completed">Fine.</subagent>\n<subagent outcome="failed">No.</subagent>'
    expect(readSwarm(output)).toEqual([
      { agentId: 'a', item: 'one', isError: false, report: 'Fine.' },
      { agentId: '', item: undefined, isError: true, report: 'No.' },
    ])
    expect(swarmPrompt({ prompt_template: 'Do {{item}}.' }, 'a$&b')).toBe('Do a$&b.')
    expect(swarmPrompt({}, 'one')).toBeUndefined()
  })
})

describe('Kimi Code over a protocol', () => {
  it('gives calls the ids of the model, and their first titles as names', () => {
    expect(kimiReader.callId?.('12:call_1')).toBe('call_1')
    const call = { title: 'Bash', input: {}, isPending: true }
    expect(kimiReader.toolName?.(call)).toBe('Bash')
    expect(kimiReader.toolName?.({ ...call, toolName: 'Read' })).toBe('Read')
  })

  it('tells questions from permissions', () => {
    const content = [{ content: { text: 'Requesting approval to run ls' } }, { content: {} }]
    const shown = { toolName: 'Bash', words: 'run ls\n', isQuestion: false }
    expect(kimiReader.permission?.({ title: 'Bash', content })).toEqual(shown)
    expect(kimiReader.permission?.({ title: 'AskUserQuestion' })).toMatchObject({ isQuestion: true })
    expect(kimiReader.permission?.({})).toMatchObject({ toolName: '', isQuestion: false })
  })

  it('reads exit codes and images of results', () => {
    const failed = 'Command failed with exit code: 2.'
    expect(kimiReader.result?.({}, failed, undefined)).toEqual({ exitCode: 2, output: undefined })
    expect(kimiReader.result?.({}, undefined, undefined)).toEqual({ exitCode: undefined, output: undefined })
    const raw = [{ type: 'text', text: 'Seen.' }]
    expect(kimiReader.result?.({}, undefined, raw)).toMatchObject({ output: raw })
  })
})

it('has the changes of edits and writes over a protocol', () => {
  const changesOf = (toolName: string, input: object, output: string) =>
    kimiReader.fileChanges?.({ call: { toolName, input }, record: {}, output })
  const edit = { path: '/srv/a.js', old_string: 'one', new_string: 'two' }
  const change = { path: '/srv/a.js', added: 1, removed: 1, kind: 'edit' }
  expect(changesOf('Edit', edit, 'Replaced 1 occurrence in /srv/a.js')).toEqual([change])
  expect(changesOf('Edit', edit, 'No match')).toBeUndefined()
  expect(changesOf('Read', edit, 'Replaced 1 occurrence in /srv/a.js')).toBeUndefined()
  const added = changesOf('Write', { path: '/srv/b.js', content: 'one\ntwo\n' }, 'Wrote 8 bytes to /srv/b.js')
  expect(added).toMatchObject([{ path: '/srv/b.js', kind: 'add', added: 2, removed: 0 }])
})
