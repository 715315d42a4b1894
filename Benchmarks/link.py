"""A slow link between a client and a server on loopback: a bandwidth that all connections share, and a delay each way.

What cannot be delayed in user space, the handshake of TCP, is paid by the first bytes of a connection: one round trip more.
"""

import asyncio
import contextlib
import threading

#: What one Ethernet frame carries; the link serves its connections in turn, a packet each.
PACKET = 1_460
#: What a server may send ahead of what the link has carried, for each connection.
WINDOW = 64 << 10


class Link:
    """Carries connections to `port`; counts the bytes that went down."""

    def __init__(self, port, bits_per_second, round_trip):
        """Nothing listens yet."""
        self.upstream = port
        self.seconds_per_byte = 8 / bits_per_second
        self.delay = round_trip / 2
        self.bytes_down = 0
        self.connections = 0
        self.port = None
        self.waiting = asyncio.Queue()
        self.loop = None

    async def carry(self):
        """The link itself: one packet after another, at its bandwidth."""
        free_at = self.loop.time()
        while True:
            packet, came_at, arrive = await self.waiting.get()
            # A packet that waited is sent when the one before it has gone, however late this task was woken.
            free_at = max(free_at, came_at) + len(packet) * self.seconds_per_byte
            self.bytes_down += len(packet)
            pause = free_at - self.loop.time()
            if pause > 0.002:
                await asyncio.sleep(pause)
            self.loop.call_at(free_at + self.delay, arrive, packet)

    async def accept(self, reader, writer):
        """One connection, both ways."""
        self.connections += 1
        await asyncio.sleep(2 * self.delay)
        down, up = await asyncio.open_connection("127.0.0.1", self.upstream)
        both = asyncio.gather(self.up(reader, up), self.down(down, writer))
        with contextlib.suppress(ConnectionError, asyncio.CancelledError):
            await both
        writer.close()
        up.close()

    async def up(self, reader, writer):
        """Requests: delayed, and small beside the bandwidth."""
        while data := await reader.read(PACKET * 16):
            self.loop.call_later(self.delay, writer.write, data)
        await asyncio.sleep(self.delay)

    async def down(self, reader, writer):
        """Answers: a packet at a time through the link, with a window of what is under way."""
        window = asyncio.Semaphore(WINDOW // PACKET)

        def arrive(packet):
            window.release()
            if not writer.is_closing():
                writer.write(packet)

        while data := await reader.read(PACKET):
            await window.acquire()
            self.waiting.put_nowait((data, self.loop.time(), arrive))


@contextlib.contextmanager
def simulated(make_port, bits_per_second=5_000_000, round_trip=0.1):
    """A link in a thread of its own; `make_port()` answers the server's port once the link's own is known."""
    loop = asyncio.new_event_loop()
    link = Link(None, bits_per_second, round_trip)
    link.loop = loop

    async def start():
        server = await asyncio.start_server(link.accept, "127.0.0.1", 0)
        link.port = server.sockets[0].getsockname()[1]
        link.carrier = loop.create_task(link.carry())

    loop.run_until_complete(start())
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        with make_port(link.port) as port:
            link.upstream = port
            yield link
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        tasks = asyncio.all_tasks(loop)
        for task in tasks:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        loop.close()
