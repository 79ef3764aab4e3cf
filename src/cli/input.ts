import { readdir, readFile, stat } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import { claudeTranscript, isAgentFile, subagentFolder } from '../sources/claude/files.ts'
import type { CombinedTranscript } from '../sources/combined.ts'

/** The input cannot be read. */
export class InputError extends Error {}

/** Reads standard input, a file, a session's file with those of its subagents, or a folder that holds one session. */
export async function readInput(
  path: string,
  stdin: AsyncIterable<Uint8Array | string>,
): Promise<string | CombinedTranscript> {
  if (path === '-') return readAll(stdin)
  const found = await reading(stat(path))
  if (found.isDirectory()) return claudeTranscript(await readFiles(await sessionFiles(path)))
  const file = normalize(path)
  if (!isSessionFile(file)) return reading(readFile(file, 'utf8'))
  return claudeTranscript(await readFiles([file, ...(await agentFilesOf(file))]))
}

function isSessionFile(path: string): boolean {
  return path.endsWith('.jsonl') && !isAgentFile(path)
}

/** A session's subagents have their files in a folder of their own; older versions put them beside the session's. */
async function agentFilesOf(sessionPath: string): Promise<readonly string[]> {
  const folder = subagentFolder(sessionPath)
  if (await isFolder(folder)) return sessionFiles(folder)
  const beside = await reading(readdir(dirname(sessionPath)))
  return beside.filter(isAgentFile).map((name) => join(dirname(sessionPath), name))
}

async function readAll(stdin: AsyncIterable<Uint8Array | string>): Promise<string> {
  const decoder = new TextDecoder()
  const texts: string[] = []
  for await (const chunk of stdin)
    texts.push(typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true }))
  try {
    return texts.join('') + decoder.decode()
  } catch (error) {
    throw new InputError('more text than one string can hold', { cause: error })
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch (error) {
    if (isMissing(error)) return false
    throw new InputError(`${path}: ${reasonOf(error)}`, { cause: error })
  }
}

async function sessionFiles(folder: string): Promise<readonly string[]> {
  const names = await reading(readdir(folder, { recursive: true }))
  return names
    .filter((name) => name.endsWith('.jsonl') || name.endsWith('.meta.json'))
    .sort()
    .map((name) => join(folder, name))
}

async function readFiles(paths: readonly string[]): Promise<Record<string, string>> {
  const texts = await Promise.all(
    paths.map(async (path) => [path, await reading(readFile(path, 'utf8'))] as const),
  )
  return Object.fromEntries(texts)
}

/** Says in one line why a file could not be read. */
async function reading<Value>(value: Promise<Value>): Promise<Value> {
  try {
    return await value
  } catch (error) {
    throw new InputError(reasonOf(error), { cause: error })
  }
}

function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR'
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

function reasonOf(error: unknown): string {
  const code = codeOf(error)
  if (code === 'ENOENT') return 'no such file or folder'
  if (code === 'EACCES') return 'not allowed to read it'
  return error instanceof Error ? error.message : String(error)
}
