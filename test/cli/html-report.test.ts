import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { contentSecurityPolicy, htmlReport, writeReport } from '../../src/cli/page/html-report.ts'
import type { SessionEvent } from '../../src/core/events/event.ts'
import { reduceSessionEvents } from '../../src/core/reducer/reduce.ts'
import {
  createInitialConversationState,
  type SessionConversationState,
} from '../../src/core/state/session.ts'
import { redactAll } from '../../src/redaction/redactions.ts'
import { restore } from '../../src/server/sync/snapshot.ts'
import { temporaryFolder } from './temporary.ts'
import { agentfold } from './terminal.ts'

const PAGE = `<!doctype html><meta http-equiv="content-security-policy" content="default-src 'none'; connect-src 'self'"><body><!-- session --></body>`

const stateWith = (content: string): SessionConversationState =>
  reduceSessionEvents(createInitialConversationState(), [
    {
      type: 'block:upsert',
      block: { id: 'jo@example.org', type: 'assistant_text', status: 'complete', content },
    },
    {
      type: 'block:upsert',
      block: {
        ...{ id: 'c', type: 'tool_use', toolName: 'Bash', toolUseId: 'c', status: 'complete' },
        input: { id: 'jo@example.org', list: ['jo@example.org', 1, null], deep: { type: 'jo@example.org' } },
      },
    },
  ])

const block = (id: string, fields: object): SessionEvent =>
  ({ type: 'block:upsert', block: { id, status: 'complete', ...fields } }) as SessionEvent

const dataIn = (html: string): string =>
  /<script type="application\/json" id="session">(.*)<\/script>/.exec(html)?.[1] ?? ''

describe('htmlReport', () => {
  it('holds the session, and no text of it ends the script element', () => {
    const state = stateWith('</script><script>alert(1)</script><!-- \u2028 \u2029 $& $1')
    const html = htmlReport(state, { page: PAGE })
    expect(dataIn(html)).not.toMatch(/[<\u2028\u2029]/)
    expect(restore(JSON.parse(dataIn(html))).state).toEqual(state)
  })

  // A page of a mail program or a file manager runs no script.
  it('has the name of the session as its title', () => {
    const page = `<title>agentfold</title>${PAGE}`
    const state = stateWith('')
    const titled = { ...state, session: { title: '</title><b>Tea & $& jo@example.org' } }
    const redact = (text: string): string => text.replaceAll('jo@example.org', '[email]')
    expect(htmlReport(titled, { page, redact })).toContain(
      '<title>&lt;/title>&lt;b>Tea &amp; $&amp; [email]</title>',
    )
    expect(htmlReport(state, { page })).toContain('<title>agentfold</title>')
  })

  it('forbids every connection', () => {
    const html = htmlReport(stateWith(''), { page: PAGE })
    expect(contentSecurityPolicy(PAGE)).toContain("connect-src 'self'")
    expect(contentSecurityPolicy(html)).toBe("default-src 'none'; connect-src 'none'")
  })

  it('redacts every text, also in the input of tools, and keeps the ids of the session', () => {
    const redact = (text: string): string => text.replaceAll('jo@example.org', '[email]')
    const html = htmlReport(stateWith('jo@example.org'), { page: PAGE, redact })
    const { blocks } = restore(JSON.parse(dataIn(html))).state
    expect(blocks).toMatchObject([
      { id: 'jo@example.org', content: '[email]' },
      { toolName: 'Bash', input: { id: '[email]', list: ['[email]', 1, null], deep: { type: '[email]' } } },
    ])
  })

  // The terminal and the document hid such a value, and the file that people share did not.
  it('redacts the value of a field whose name is that of a secret', () => {
    const input = { password: 'hunter2-plain', deep: [{ api_key: 'ab"cd-rest' }], path: 'a.ts' }
    const state = reduceSessionEvents(createInitialConversationState(), [
      block('c', { type: 'tool_use', toolName: 'Login', toolUseId: 'c', input }),
    ])
    const { blocks } = restore(JSON.parse(dataIn(htmlReport(state, { page: PAGE, redact: redactAll })))).state
    expect(blocks).toMatchObject([
      { input: { password: '[secret]', deep: [{ api_key: '[secret]' }], path: 'a.ts' } },
    ])
  })

  it('redacts the names of fields too, and a text that codes of a terminal cut', () => {
    const redact = (text: string): string => text.replaceAll('jo@example.org', '[email]')
    const output = { 'jo@example.org': [{ 'to jo@example.org': 1 }] }
    const state = reduceSessionEvents(createInitialConversationState(), [
      block('a', { type: 'tool_result', toolUseId: 't', isError: false, output }),
      block('b', { type: 'assistant_text', content: 'jo@\u001b[01;31mexample\u001b[m.org' }),
      block('c', { type: 'assistant_text', content: '\u001b[31mjo\u202e@example.org' }),
      block('d', { type: 'assistant_text', content: '\u001b[31mred\u001b[m' }),
    ])
    const { blocks } = restore(JSON.parse(dataIn(htmlReport(state, { page: PAGE, redact })))).state
    expect(blocks).toMatchObject([
      { output: { '[email]': [{ 'to [email]': 1 }] } },
      { content: '[email]' },
      { content: '[email]' },
      { content: '\u001b[31mred\u001b[m' },
    ])
  })

  it('refuses a page without a place for the session', () => {
    expect(() => htmlReport(stateWith(''), { page: '<p>' })).toThrow(TypeError)
  })
})

describe('writeReport', () => {
  const folder = temporaryFolder()
  const { inFolder } = folder
  const write = (file: string) => writeReport(stateWith(''), { file, redact: undefined, page: PAGE })

  it.each([
    [10, /^wrote .*report\.html, 1 kB\n$/],
    [2_500_000, /^wrote .*report\.html, 2\.5 MB\n$/],
  ])('states the size of a session with %i letters', async (letters, line) => {
    const file = inFolder('report.html')
    const written = await writeReport(stateWith('x'.repeat(letters)), { file, redact: undefined, page: PAGE })
    expect(written).toMatch(line)
    expect(restore(JSON.parse(dataIn(await readFile(file, 'utf8')))).state.blocks).toHaveLength(2)
  })

  it('says that it cannot write the file', async () => {
    const file = inFolder('no', 'folder.html')
    await expect(write(file)).rejects.toThrow(/cannot be written: no such folder$/)
    await expect(write(inFolder())).rejects.toThrow(/cannot be written: it is a folder$/)
    await expect(write(inFolder('x'.repeat(300)))).rejects.toThrow(/cannot be written: ENAMETOOLONG$/)
  })

  // It replaced the session itself.
  it.each(['session.jsonl', 'notes.md'])('never replaces %s, which is no HTML file', async (name) => {
    const path = await folder.file(name, '{"type":"user"}\n')
    await expect(write(path)).rejects.toThrow(/exists and is no HTML file, so it stays: choose another name$/)
    expect(await readFile(path, 'utf8')).toBe('{"type":"user"}\n')
  })

  it.each(['', '\n<!DOCTYPE html>', '<html lang="en">'])(
    'replaces a file that begins with %j',
    async (text) => {
      expect(await write(await folder.file('old.html', text))).toMatch(/^wrote .*old\.html, \d kB\n$/)
    },
  )

  it('writes to a device', async () => {
    expect(await write('/dev/null')).toMatch(/^wrote \/dev\/null, /)
  })

  it('prints a name without control characters', async () => {
    expect(await write(inFolder('a\n\u001b[31m.html'))).toMatch(/^wrote [^\n]*a \ufffd\[31m\.html, \d kB\n$/)
  })
})

describe('agentfold show --html', () => {
  const { inFolder } = temporaryFolder()

  it.each([[], ['--redact']])('writes the page with the session %j', async (...options) => {
    const session = 'fixtures/claude-code/01-plain-text/stream.ndjson'
    const args = ['show', session, '--html', inFolder('page.html'), ...options]
    const { code, out } = await agentfold(args, { page: PAGE })
    expect(code).toBe(0)
    expect(out).toMatch(/^wrote /)
    const { state } = restore(JSON.parse(dataIn(await readFile(inFolder('page.html'), 'utf8'))))
    expect(state.blocks.length).toBeGreaterThan(0)
  })
})

describe('contentSecurityPolicy', () => {
  it('forbids everything for a page without a policy', () => {
    expect(contentSecurityPolicy('<p>')).toBe("default-src 'none'")
  })
})
