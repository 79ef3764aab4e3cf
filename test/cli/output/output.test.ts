import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  agentCall,
  assistantMessage,
  fromSubagent,
  text,
  toolUse,
  toText,
  userMessage,
} from '../../wires/claude/messages.ts'
import { folder as recordingsFolder } from '../../wires/recordings.ts'
import { temporaryFolder } from '../temporary.ts'
import { agentfold } from '../terminal.ts'

const { file } = temporaryFolder()
const streamOf = (name: string) => join(recordingsFolder, name, 'stream.ndjson')

describe('the output', () => {
  it('has colour codes only on a terminal with colours', async () => {
    const ESC = String.fromCharCode(27)
    const path = streamOf('05-three-parallel-forward')
    const plain = await agentfold(['replay', path])
    const styled = await agentfold(['replay', path], { isStyled: true })
    expect(plain.out).not.toContain(ESC)
    expect(styled.out).toContain(`${ESC}[32mdone${ESC}[39m`)
    expect(styled.out.replaceAll(new RegExp(`${ESC}\\[\\d+m`, 'g'), '')).toBe(plain.out)
  })

  it('has no colour codes with --json and --events', async () => {
    for (const format of ['--json', '--events']) {
      const args = ['replay', format, streamOf('01-plain-text')]
      expect(await agentfold(args, { isStyled: true })).toEqual(await agentfold(args))
    }
  })

  it.each(['tree', '--json', '--events'])('has no control characters of a transcript: %s', async (format) => {
    const evil = '\u001b[2J\u0007\u0000\u007f\u009b31mred\r\u0085\u0008x'
    const lines = toText([
      { type: 'system', subtype: 'init', session_id: evil, model: evil, claude_code_version: evil },
      { type: evil },
      assistantMessage('m1', agentCall(`t${evil}`, { description: evil, subagent_type: evil }), {
        uuid: 'u1',
      }),
      assistantMessage('s1', text(`Said ${evil}.`), { uuid: 'u2', ...fromSubagent(`t${evil}`, 'a1') }),
      assistantMessage('m2', toolUse('t2', evil), { uuid: 'u3' }),
      userMessage(evil, { uuid: 'u4' }),
    ])
    const args = ['replay', '-', ...(format === 'tree' ? [] : [format])]
    const { out, err } = await agentfold(args, { stdin: [lines] })
    expect(out.length).toBeGreaterThan(100)
    expect((out + err).replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
  })

  // A type of 5 MB was a line of 5 MB.
  it('has short lines, however long the names in a transcript are', async () => {
    const long = (name: string) => name + 'x'.repeat(100_000)
    const type = long('type')
    const lines = toText([
      { type: 'system', subtype: 'init', session_id: long('s'), model: long('model') },
      { type },
      assistantMessage(long('m'), text('Hi.'), { uuid: 'u1' }),
      assistantMessage('m2', agentCall(long('t'), { subagent_type: long('agent') }), { uuid: 'u2' }),
    ])
    const path = await file('long', lines)
    for (const args of [
      ['replay', path],
      ['identify', path],
      ['parity', path, await file('none', '')],
    ]) {
      const { out } = await agentfold(args)
      expect(out).not.toContain(type)
      expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThan(1200)
    }
    const { out } = await agentfold(['replay', path])
    expect(out).toMatch(/unknown-message · count 1 · messageType typex{995}… · line 2\n/)
  })

  it('has one line per agent, also if names contain line breaks', async () => {
    const call = agentCall('t1', { description: 'two\nlines\u2028three', subagent_type: 'a\r\nb' })
    const { out } = await agentfold(['replay', '-'], {
      stdin: [toText([assistantMessage('m1', call, { uuid: 'u1' })])],
    })
    expect(out).toContain('└─ failed a b · “two lines three”')
  })
})
