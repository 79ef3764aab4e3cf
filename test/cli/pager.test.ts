import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { writePaged } from '../../src/cli/terminal/terminal.ts'
import { temporaryFolder } from './temporary.ts'

const { inFolder, file } = temporaryFolder()

it('writes to the pager, and waits for it', async () => {
  await file('before', '')
  const path = inFolder('paged.txt')
  await writePaged(`cat > '${path}'`, async (write) => void write('one\ntwo\n'), expect.unreachable)
  expect(await readFile(path, 'utf8')).toBe('one\ntwo\n')
})

it('ends when the person leaves the pager early', async () => {
  const long = 'x'.repeat(1_000_000)
  await writePaged('head -c 1 > /dev/null', async (write) => void write(long), expect.unreachable)
})

it('writes to the terminal if there is no such pager', async () => {
  let written = ''
  const write = (text: string) => {
    written += text
  }
  await writePaged('no-such-pager-here 2> /dev/null', async (page) => void page('one\n'), write)
  expect(written).toBe('one\n')
})
