//! The zoo's server and client, written with the Rust SDK.
#![allow(deprecated)]

mod client;
mod server;

#[tokio::main]
async fn main() {
    let mut args = std::env::args().skip(1);
    if args.next().as_deref() == Some("client") {
        client::visit(args.collect()).await;
    } else {
        server::serve().await;
    }
}
