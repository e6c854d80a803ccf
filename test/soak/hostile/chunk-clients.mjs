/**
 * Clients that send bodies in small chunks, a process of their own: `node chunk-clients.mjs <port> <head> <chunk bytes>
 * <connections> <seconds>`, where the head is that of the request. Each connection sends chunks as fast as the server
 * takes them, in packets of 64 KiB, until it is closed; then another is opened. Prints as one line of JSON how many
 * connections were opened, the bytes that the kernel took, and the statuses that came back.
 */
import { connect } from 'node:net';

const [port, head, chunkBytes, connectionCount, seconds] = process.argv.slice(2);
const PACKET_BYTES = 65_536;
/** Milliseconds before another connection is opened in place of a closed one. */
const PAUSE_MS = 5;

const size = Number(chunkBytes);
const chunk = `${size.toString(16)}\r\n${' '.repeat(size)}\r\n`;
const packet = Buffer.from(chunk.repeat(Math.floor(PACKET_BYTES / chunk.length)));
const outcome = { opened: 0, sentBytes: 0, statuses: {} };
const sockets = new Set();
let isOver = false;

function open() {
  if (isOver) return;
  outcome.opened++;
  // Half of the connections stay open behind the answer: these clients go on sending.
  const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: outcome.opened % 2 === 0 });
  sockets.add(socket);
  const send = () => {
    while (socket.writable && socket.write(packet));
  };
  socket.once('connect', () => {
    socket.write(head);
    send();
  });
  socket.on('drain', send);
  socket.once('data', (text) => {
    const status = String(text).slice(9, 12);
    outcome.statuses[status] = (outcome.statuses[status] ?? 0) + 1;
  });
  // Refusals come as resets too: what was not read is lost, which is the sender's fault.
  socket.on('error', () => {});
  socket.once('close', () => {
    outcome.sentBytes += socket.bytesWritten;
    sockets.delete(socket);
    setTimeout(open, PAUSE_MS);
  });
}

for (let count = 0; count < Number(connectionCount); count++) open();
setTimeout(() => {
  isOver = true;
  for (const socket of sockets) socket.destroy();
  setTimeout(() => {
    console.log(JSON.stringify(outcome));
    process.exit();
  }, 100);
}, 1_000 * Number(seconds));
