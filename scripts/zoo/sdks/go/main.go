package main

import "os"

// main is the client of the URL or command after `client`, else the server.
func main() {
	if len(os.Args) > 1 && os.Args[1] == "client" {
		visit(os.Args[2:])
		return
	}
	serve()
}
