"""Strict schemas of model APIs: conversion of schemas and args, and restoring args."""
