"""The least a full-screen program does: import pygame, open the screen, flip, say that it is ready."""

import os
import socket
import time

import pygame

pygame.display.init()
pygame.font.init()
pygame.display.set_mode((0, 0), pygame.FULLSCREEN)
pygame.display.flip()
with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify:
    notify.connect(os.environ["NOTIFY_SOCKET"])
    notify.send(b"READY=1")
time.sleep(3600)
