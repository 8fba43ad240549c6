import { once } from 'node:events'
import { connect } from 'node:net'

/** What a server answers to these lines, as text: for looking, and for doing what operators and other programs do. */
export async function raw(
  { host, port }: { readonly host: string; readonly port: number },
  ...lines: readonly string[]
): Promise<string> {
  const socket = connect(port, host)
  let text = ''
  socket.on('data', (bytes) => {
    text += bytes.toString()
  })
  await once(socket, 'connect')
  socket.write([...lines, 'quit'].map((each) => `${each}\r\n`).join(''))
  await once(socket, 'close')
  return text
}
