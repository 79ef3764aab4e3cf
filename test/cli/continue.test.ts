import { chmod, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { readSession } from '../../src/entries/node.ts'
import { recording } from '../wires/recordings.ts'
import { temporaryFolder } from './temporary.ts'
import { agentfold } from './terminal.ts'

const { inFolder } = temporaryFolder()
const source = recording('04-subagent-forward').sessionPath
let home = ''

beforeEach(async ({ task }) => {
  home = inFolder(task.id)
  await mkdir(home, { recursive: true })
})

const goOn = (...args: readonly string[]) => agentfold(['continue', source, ...args], { home })

async function filesIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  return names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

const noFolder = 'agentfold: /srv/demo: no such folder: make it, or pass another --cwd\n'

describe('agentfold continue', () => {
  it('writes the session into the folder of the other program, and prints the command that resumes it', async () => {
    const { code, out, err } = await goOn('--in', 'codex')
    // The folder of the session is that of another machine.
    expect({ code, err }).toEqual({ code: 0, err: noFolder })
    const files = await filesIn(join(home, '.codex', 'sessions'))
    expect(files).toHaveLength(2)
    for (const file of files) expect(out).toContain(file)
    expect(out).toMatch(
      /lost\n(?: {2}[a-z-]+ \d+ \(.*\)\n)+\nresume it with\n {2}cd \/srv\/demo\n {2}codex resume [0-9a-f-]{36}\n$/,
    )
  })

  it('writes what the other program reads', async () => {
    const { out } = await goOn('--in', 'codex')
    const id = / codex resume (.*)\n/.exec(out)?.[1] ?? ''
    const { code, out: shown } = await agentfold(['show', id], { home })
    expect(code).toBe(0)
    expect(shown).toContain('src/add.js exports one function')
  })

  it('goes on with the conversation of one agent, in the program of the session', async () => {
    const { state } = await readSession(source)
    const [agent] = state.subagents
    const { code, out, err } = await goOn('--agent', agent?.agentId ?? '')
    expect({ code, err }).toEqual({ code: 0, err: noFolder })
    const id = / claude --resume (.*)\n/.exec(out)?.[1] ?? ''
    const { out: shown } = await agentfold(['show', id], { home })
    expect(shown).toContain(agent?.prompt)
    const { err: unknown } = await goOn('--agent', 'nobody', '--dry-run')
    expect(unknown).toContain('agentfold: no agent nobody: use one of ')
  })

  // It took whole ids alone, and no `main`.
  it('takes an agent as agentfold show does', async () => {
    const { state } = await readSession(source)
    const ids = state.subagents.map(({ toolUseId }) => toolUseId)
    const id = ids[1] ?? ''
    const start = [...id].findIndex(
      (_, at) => ids.filter((each) => each.startsWith(id.slice(0, at))).length === 1,
    )
    const filesOf = async (agent: string) =>
      (await goOn('--in', 'codex', '--dry-run', '--agent', agent)).out.match(/rollout-\S+/g)
    expect(await filesOf(id.slice(0, start).toUpperCase())).toEqual(await filesOf(id))
    expect(await filesOf('main')).not.toEqual(await filesOf(id))
  })

  // A dry run promised the files that a real one refuses to write.
  it('refuses in a dry run what a real one refuses', async () => {
    await goOn('--in', 'codex')
    const dry = await goOn('--in', 'codex', '--dry-run')
    expect(dry).toEqual(await goOn('--in', 'codex'))
    expect(dry).toMatchObject({ code: 1, out: '' })
  })

  it('refuses a model without its provider, for a program that needs one', async () => {
    const { code, err } = await goOn('--in', 'OpenCode', '--model', 'tea-1', '--dry-run')
    expect({ code, err }).toEqual({
      code: 2,
      err: expect.stringMatching(/^agentfold: --model: pass provider\/model in place of tea-1\n/),
    })
  })

  // The page and `replay` showed 0 ms.
  it('keeps the duration of an agent', async () => {
    const { out } = await goOn('--in', 'claude-code')
    const id = / claude --resume (.*)\n/.exec(out)?.[1] ?? ''
    const { out: shown } = await agentfold(['replay', id, '--json'], { home })
    const { state } = await readSession(source)
    const [agent] = JSON.parse(shown).state.subagents
    expect(agent.durationMs).toBe(state.subagents[0]?.durationMs)
  })

  it('asks for the program', async () => {
    const { code, err } = await goOn('--dry-run')
    expect(code).toBe(2)
    expect(err).toContain("agentfold: required option '--in <program>' not specified\n")
  })

  it('never overwrites a file', async () => {
    await goOn('--in', 'codex')
    const files = await filesIn(home)
    const before = await Promise.all(files.map((file) => readFile(file, 'utf8')))
    const { code, err } = await goOn('--in', 'codex')
    expect(code).toBe(1)
    expect(err).toMatch(/: exists already: resume it with: cd \/srv\/demo && codex resume [0-9a-f-]{36}\n$/)
    expect(await Promise.all(files.map((file) => readFile(file, 'utf8')))).toEqual(before)
  })

  // The check for a file follows links, and the cleanup removed what it had not made.
  it('leaves a link that leads nowhere in the place of a file', async () => {
    const { out } = await goOn('--in', 'codex', '--dry-run')
    const path = / {2}(\S+\.jsonl)\n/.exec(out)?.[1] ?? ''
    await mkdir(dirname(path), { recursive: true })
    await symlink(join(home, 'nowhere'), path)
    const { code } = await goOn('--in', 'codex')
    expect(code).toBe(1)
    expect((await lstat(path)).isSymbolicLink()).toBe(true)
  })

  it('asks for the folder of a session that names none, and for a block of the session', async () => {
    const path = join(home, 'connection.ndjson')
    const prompt = { sessionId: 's1', prompt: [{ type: 'text', text: 'Hi.' }] }
    await writeFile(
      path,
      `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'session/prompt', params: prompt })}\n`,
    )
    const { code, err } = await agentfold(['continue', path, '--in', 'codex', '--dry-run'], { home })
    expect({ code, err }).toEqual({ code: 1, err: 'agentfold: the session names no folder: pass --cwd\n' })
    const here = await agentfold(['continue', path, '--in', 'codex', '--dry-run', '--cwd', "/srv/it's"], {
      home,
    })
    expect(here.out).toContain(`cd '/srv/it'\\''s'`)
    const { err: unknown } = await goOn('--in', 'codex', '--at', 'nowhere', '--dry-run')
    expect(unknown).toMatch(/^agentfold: nowhere: no block of the session has that id/)
  })

  it('takes a folder below the current one, and shows no control character of a folder', async () => {
    const { out } = await goOn('--in', 'codex', '--dry-run', '--cwd', 'src')
    expect(out).toContain(`cd ${join(process.cwd(), 'src')}\n`)
    const { out: hostile } = await goOn('--in', 'codex', '--dry-run', '--cwd', '/srv/\u001b[2J\u009bA\nrm')
    expect(hostile).toContain("cd $'\\x2f\\x73\\x72\\x76\\x2f\\x1b\\x5b")
    for (const text of ['\u001b', '\u009b', '\nrm']) expect(hostile).not.toContain(text)
  })

  it('says that the folder does not exist, and that the program takes no model', async () => {
    const notes = async (...args: readonly string[]) => (await goOn('--dry-run', ...args)).err
    const model = ['--cwd', home, '--model', 'a/b']
    expect(await notes('--in', 'pi', '--cwd', '/nope')).toMatch(/^agentfold: \/nope: no such folder/)
    expect(await notes('--in', 'pi', ...model)).toMatch(/^agentfold: --model: pi takes no model/)
    for (const program of ['opencode', 'kimi']) expect(await notes('--in', program, ...model)).toBe('')
  })

  it('writes nothing with --dry-run', async () => {
    const { code, out } = await goOn('--in', 'claude-code', '--dry-run')
    expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining('would write') })
    expect(await filesIn(home)).toEqual([])
  })

  it('cuts at a block', async () => {
    const { state } = await readSession(source)
    const first = state.blocks[0]?.id ?? ''
    await goOn('--in', 'codex', '--at', first)
    const [file = ''] = await filesIn(home)
    const { state: cut } = await readSession(file)
    expect(cut.blocks.map(({ type }) => type)).toEqual(['user_message'])
  })

  it('says that no block has the id', async () => {
    const { code, err } = await goOn('--in', 'codex', '--at', 'nowhere')
    expect({ code, err }).toMatchObject({ code: 1, err: expect.stringContaining('nowhere: no block') })
  })

  it('gives the files the permissions of the folder', async () => {
    const folder = join(home, '.codex', 'sessions')
    await mkdir(folder, { recursive: true })
    await chmod(folder, 0o750)
    await goOn('--in', 'codex')
    const [file = ''] = await filesIn(folder)
    expect((await stat(file)).mode & 0o777).toBe(0o640)
  })

  it('keeps the files of a program that keeps its own ones so for the person alone', async () => {
    await mkdir(join(home, '.claude', 'projects'), { recursive: true })
    await goOn('--in', 'claude-code')
    const files = await filesIn(home)
    expect(files.length).toBeGreaterThan(1)
    for (const file of files) expect((await stat(file)).mode & 0o777).toBe(0o600)
  })

  it('keeps a new folder for the person alone', async () => {
    await goOn('--in', 'codex')
    const [file = ''] = await filesIn(home)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await stat(join(home, '.codex'))).mode & 0o777).toBe(0o700)
  })

  it('leaves no file of a session that it cannot write', async () => {
    const folder = join(home, '.codex', 'sessions')
    await mkdir(folder, { recursive: true })
    await chmod(folder, 0o500)
    // A root user writes anywhere.
    if (process.getuid?.() === 0) return
    const { code } = await goOn('--in', 'codex')
    expect(code).toBe(1)
    expect(await filesIn(folder)).toEqual([])
  })
})
